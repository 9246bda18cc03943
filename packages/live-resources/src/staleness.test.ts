import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { later, START, sampleFact, versionAfter } from '../testing/sample-facts.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { epochMs } from './clock.ts';
import { ageInWords, ageOf, staleHeader } from './staleness.ts';

const NOTHING = { fact: null, lane: null };
const REVIEW = later(START, 60_000);
const version = versionAfter(NOTHING, sampleFact('user', 'ray', 'walking'), {
  staleAfter: REVIEW,
  authorLabel: 'the ward pharmacist',
});

const at = (ms: number) => createVirtualClock(ms);

describe('the age of a version', () => {
  it('is counted in whole seconds', () => {
    const written = epochMs(version.writtenAt);
    expect(ageOf(version, at(written)).seconds).toBe(0);
    expect(ageOf(version, at(written + 999)).seconds).toBe(0);
    expect(ageOf(version, at(written + 1000)).seconds).toBe(1);
    expect(ageOf(version, at(written + 3_599_999)).seconds).toBe(3599);
  });

  it('is never negative, even when the clock stepped back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (back) => {
        expect(ageOf(version, at(epochMs(version.writtenAt) - back)).seconds).toBe(0);
      }),
    );
  });

  it('is past its review from the review date on, not a millisecond before', () => {
    expect(ageOf(version, at(epochMs(REVIEW) - 1)).stale).toBe(false);
    expect(ageOf(version, at(epochMs(REVIEW))).stale).toBe(true);
    expect(ageOf(version, at(epochMs(REVIEW) + 1)).stale).toBe(true);
  });

  it('is never past a review that was not set', () => {
    const without = versionAfter(NOTHING, sampleFact('user', 'ray', 'walking'));
    expect(ageOf(without, at(Date.UTC(9999, 0))).stale).toBe(false);
  });
});

describe('an age in words', () => {
  it.each([
    [0, 'just now'],
    [1, '1 second ago'],
    [2, '2 seconds ago'],
    [59, '59 seconds ago'],
    [60, '1 minute ago'],
    [119, '1 minute ago'],
    [120, '2 minutes ago'],
    [3599, '59 minutes ago'],
    [3600, '1 hour ago'],
    [7199, '1 hour ago'],
    [7200, '2 hours ago'],
    [86_399, '23 hours ago'],
    [86_400, '1 day ago'],
    [172_799, '1 day ago'],
    [172_800, '2 days ago'],
    [31_536_000, '365 days ago'],
  ])('%i seconds: %s', (seconds, words) => {
    expect(ageInWords(seconds)).toBe(words);
  });

  it('never says more than has passed, nor half of it or less', () => {
    const sizes: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seconds) => {
        const [, count = '', unit = ''] = /^(\d+) ([a-z]+?)s? ago$/.exec(ageInWords(seconds)) ?? [];
        const said = Number(count) * (sizes[unit] ?? Number.NaN);
        expect(said).toBeLessThanOrEqual(seconds);
        expect(said * 2).toBeGreaterThan(seconds);
      }),
    );
  });
});

it('the header of a stale version says its age and its author label', () => {
  const age = ageOf(version, at(epochMs(START) + 4 * 86_400_000));
  expect(staleHeader(version, age)).toBe(
    '[STALE — last changed 4 days ago by the ward pharmacist; say this age aloud]',
  );
});
