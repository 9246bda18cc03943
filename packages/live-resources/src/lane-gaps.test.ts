import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Instant } from './clock.ts';
import type { Subject } from './fact-uri.ts';
import { laneGaps } from './lane-gaps.ts';
import type { Audience } from './partition.ts';

const lane = { subject: 'ada' as Subject, audience: 'user' as Audience };
const withHead = (ordinal: number) => [{ ...lane, ordinal, writtenAt: '' as Instant }];
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it('finds none in a whole lane, in whatever order its places come', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(fc.nat()), (count, keys) => {
      const ordinals = upTo(count).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
      expect(laneGaps(withHead(count), () => ordinals)).toEqual([]);
    }),
  );
});

it('names the first place that is missing', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), (count, seed) => {
      const missing = (seed % count) + 1;
      const ordinals = upTo(count).filter((ordinal) => ordinal !== missing);
      expect(laneGaps(withHead(count), () => ordinals)).toEqual([{ ...lane, ordinal: missing }]);
    }),
  );
});

it('names the place past a head that was moved back', () => {
  expect(laneGaps(withHead(2), () => [1, 2, 3])).toEqual([{ ...lane, ordinal: 3 }]);
});
