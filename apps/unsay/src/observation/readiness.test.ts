import { expect, it } from 'vitest';
import { createReadiness } from './readiness.ts';

it('looks once a second at most, and says what it saw', async () => {
  let now = 0;
  let looks = 0;
  let works = true;
  const faults: unknown[] = [];
  const isReady = createReadiness(
    async () => {
      looks += 1;
      if (!works) throw new Error('the disk is full');
    },
    () => now,
    (error) => faults.push(error),
  );
  expect(await Promise.all([isReady(), isReady(), isReady()])).toEqual([true, true, true]);
  works = false;
  now = 999;
  expect([await isReady(), looks]).toEqual([true, 1]);
  now = 1000;
  expect([await isReady(), looks]).toEqual([false, 2]);
  now = 2000;
  expect([await isReady(), looks]).toEqual([false, 3]);
  // A flood of the same sentence would hide what else is in the log.
  expect(faults).toHaveLength(1);
  works = true;
  now = 3000;
  expect([await isReady(), looks]).toEqual([true, 4]);
});
