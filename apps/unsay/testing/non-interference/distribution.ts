/** Where the values of a sample lie, in the unit of the values. */
export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Summarises a sample by its percentiles (nearest rank). Throws for an empty one. */
export function summaryOf(sample: readonly number[]): Summary {
  const sorted = ascending(sample);
  const percentile = (percent: number): number =>
    sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
  return { count: sorted.length, p50: percentile(50), p95: percentile(95), p99: percentile(99) };
}

/**
 * The Kolmogorov–Smirnov distance of two samples: the most that their distribution functions differ anywhere,
 * 0 for equal ones and 1 for samples that do not overlap. Throws when one is empty.
 */
export function distanceBetween(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [ascending(one), ascending(other)];
  let [i, j, most] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i] ?? Number.NaN, b[j] ?? Number.NaN);
    while (i < a.length && a[i] === value) i += 1;
    while (j < b.length && b[j] === value) j += 1;
    most = Math.max(most, Math.abs(i / a.length - j / b.length));
  }
  return most;
}

/**
 * The distance that two samples of these sizes from one and the same distribution stay below in 99 of 100
 * cases (the large-sample form of the two-sided test).
 */
export function chanceDistance(one: number, other: number): number {
  return 1.628 * Math.sqrt((one + other) / (one * other));
}

function ascending(sample: readonly number[]): number[] {
  if (sample.length === 0) throw new Error('a distribution of nothing');
  return [...sample].sort((a, b) => a - b);
}
