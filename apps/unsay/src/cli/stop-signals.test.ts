import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { stopSignal } from './stop-signals.ts';

it('one signal stops, its echoes do nothing, and a later one ends at once', async () => {
  const signals = new EventEmitter();
  const timers: (() => void)[] = [];
  let ended = 0;
  const stopped = stopSignal(
    signals,
    (run) => timers.push(run),
    () => {
      ended += 1;
    },
  );
  signals.emit('SIGINT');
  await stopped;
  signals.emit('SIGINT');
  signals.emit('SIGTERM');
  expect([timers.length, ended]).toEqual([1, 0]);
  timers[0]?.();
  signals.emit('SIGTERM');
  expect(ended).toBe(1);
});
