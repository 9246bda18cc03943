import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryDelay } from './backoff.ts';

test('the wait doubles and then stays', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map((attempt) => retryDelay(attempt, 0))).toEqual([
    250, 500, 1000, 2000, 4000, 7500, 7500,
  ]);
});

test('every wait lies between half a step and a whole one, and never passes the ceiling', () => {
  const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.nat(10_000), chances, (attempt, chance) => {
      const delay = retryDelay(attempt, chance);
      expect(delay).toBeGreaterThanOrEqual(retryDelay(attempt, 0));
      expect(delay).toBeLessThanOrEqual(15_000);
    }),
  );
});
