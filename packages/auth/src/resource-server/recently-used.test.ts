import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRecentlyUsed } from './recently-used.ts';

it('keeps what was asked for last and drops the rest', () => {
  const held = createRecentlyUsed<number>(2);
  held.set('a', 1);
  held.set('b', 2);
  expect(held.get('a')).toBe(1);
  held.set('c', 3);
  expect(held.get('b')).toBeUndefined();
  expect(held.get('a')).toBe(1);
  expect(held.get('c')).toBe(3);
});

it('does as a list in order of use would', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.record({ key, value: fc.option(fc.nat(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step), (capacity, steps) => {
      const held = createRecentlyUsed<number>(capacity);
      let model: { key: string; value: number }[] = [];
      for (const { key, value } of steps) {
        const known = model.find((entry) => entry.key === key);
        if (value === undefined) expect(held.get(key)).toBe(known?.value);
        else held.set(key, value);
        const next = value ?? known?.value;
        if (next === undefined) continue;
        model = [...model.filter((entry) => entry.key !== key), { key, value: next }].slice(-capacity);
      }
    }),
  );
});
