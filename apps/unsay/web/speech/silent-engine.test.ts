import { expect, test } from 'vitest';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import { silentEngine } from './silent-engine.ts';

function listen(scheduler: VirtualScheduler): {
  heard: string[];
  hooks: Parameters<ReturnType<typeof silentEngine>['say']>[1];
} {
  const heard: string[] = [];
  return {
    heard,
    hooks: {
      word: (index) => void heard.push(`${index}@${scheduler.now()}`),
      ended: () => void heard.push(`ended@${scheduler.now()}`),
      failed: () => void heard.push('failed'),
    },
  };
}

test('twelve words take as long as a voice would: 4.8 seconds', () => {
  const scheduler = new VirtualScheduler();
  const { heard, hooks } = listen(scheduler);
  silentEngine(scheduler).say('a b c d e f g h i j k l', hooks);
  expect(heard).toEqual([]);
  scheduler.advance(10_000);
  expect(heard).toHaveLength(13);
  expect(heard.slice(0, 3)).toEqual(['0@0', '1@400', '2@800']);
  expect(heard.at(-1)).toBe('ended@4800');
});

test('stop is silence at once', () => {
  const scheduler = new VirtualScheduler();
  const { heard, hooks } = listen(scheduler);
  const saying = silentEngine(scheduler).say('a b c', hooks);
  scheduler.advance(400);
  saying.stop();
  scheduler.advance(10_000);
  expect(heard).toEqual(['0@0', '1@400']);
  expect(scheduler.waiting).toBe(0);
});

test('a hook may stop the sentence that calls it', () => {
  const scheduler = new VirtualScheduler();
  const { heard, hooks } = listen(scheduler);
  const saying = silentEngine(scheduler).say('a b c', {
    ...hooks,
    word: (index) => {
      hooks.word(index);
      if (index === 1) saying.stop();
    },
  });
  scheduler.advance(10_000);
  expect(heard).toEqual(['0@0', '1@400']);
});

test('a text without words ends without one', () => {
  const scheduler = new VirtualScheduler();
  const { heard, hooks } = listen(scheduler);
  silentEngine(scheduler).say('  ', hooks);
  scheduler.advance(0);
  expect(heard).toEqual(['ended@0']);
});
