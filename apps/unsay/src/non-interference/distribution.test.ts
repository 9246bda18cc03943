import { describe, expect, it } from 'vitest';
import { chanceDistance, distanceBetween, summaryOf } from '../../testing/non-interference/distribution.ts';

const UP_TO_100 = Array.from({ length: 100 }, (_none, index) => 100 - index);

describe('a distribution', () => {
  it('is summarised by the values at its ranks', () => {
    expect(summaryOf(UP_TO_100)).toEqual({ count: 100, p50: 50, p95: 95, p99: 99 });
    expect(summaryOf([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7 });
    expect(() => summaryOf([])).toThrow('nothing');
  });

  it('is as far from another as their functions differ at most', () => {
    expect(distanceBetween(UP_TO_100, [...UP_TO_100].reverse())).toBe(0);
    expect(distanceBetween([1, 2], [3, 4, 5])).toBe(1);
    expect(distanceBetween([1, 2, 3, 4], [3, 4, 5, 6])).toBe(0.5);
    expect(distanceBetween([1, 1, 1, 2], [1, 2, 2, 2])).toBe(0.5);
    expect(() => distanceBetween([], [1])).toThrow('nothing');
  });

  it('has a distance that chance alone explains, smaller for larger samples', () => {
    expect(chanceDistance(100, 100)).toBeCloseTo(0.2302, 3);
    expect(chanceDistance(10_000, 10_000)).toBeCloseTo(0.023, 3);
  });
});
