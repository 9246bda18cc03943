/** How one target did, in milliseconds. */
export interface Summary {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly slowest: number;
}

/** The value that a share of the samples does not exceed: the nearest rank, always one of the samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('no samples were taken');
  return value;
}

/** The middle, or halfway between the two in the middle. */
export function median(samples: readonly number[]): number {
  const reversed = samples.map((sample) => -sample);
  return (percentile(samples, 0.5) - percentile(reversed, 0.5)) / 2;
}

export function summarise(samples: readonly number[]): Summary {
  return {
    n: samples.length,
    p50: percentile(samples, 0.5),
    p95: percentile(samples, 0.95),
    p99: percentile(samples, 0.99),
    slowest: percentile(samples, 1),
  };
}
