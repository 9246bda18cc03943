import { expect, it } from 'vitest';
import { createRecentlyUsed } from './recently-used.ts';

it('forgets what was used the longest time ago', () => {
  const cache = createRecentlyUsed<number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
  expect(cache.get('a')).toBe(0);
  cache.set('d', 3);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([0, undefined, 2, 3]);
  cache.delete('c');
  expect(cache.get('c')).toBeUndefined();
});

it('weighs a value anew each time it is set, and keeps one that alone is too heavy', () => {
  const cache = createRecentlyUsed<{ size: number }>(10, ({ size }) => size);
  const growing = { size: 4 };
  cache.set('growing', growing);
  cache.set('other', { size: 4 });
  growing.size = 8;
  cache.set('growing', growing);
  expect([cache.get('growing'), cache.get('other')]).toEqual([growing, undefined]);
  cache.set('heavy', { size: 11 });
  expect([cache.get('growing'), cache.get('heavy')]).toEqual([undefined, { size: 11 }]);
  cache.set('light', { size: 1 });
  expect([cache.get('heavy'), cache.get('light')]).toEqual([undefined, { size: 1 }]);
});
