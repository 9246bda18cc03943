/** At most so many of a key in any time of one length. */
export interface SlidingWindow {
  /** Takes one in: 0, or the milliseconds until one more may come, when it was not taken in. */
  take(key: string): number;
}

export interface SlidingWindowOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
  /** Keys that are told apart. Default 10,000. */
  readonly mostKeys?: number;
}

/** When those of one key were taken in, the oldest first. The first `ended` of them count no more. */
interface Times {
  readonly at: number[];
  ended: number;
}

/** The key that stands for every other when there are too many: strangers then share one limit, and none is without. */
const EVERYONE_ELSE = '\u0000everyone else';

/**
 * An exact limit: it remembers when each was taken in that still counts. A key is forgotten when nothing of it counts
 * any more and not before, so nobody gets a new allowance by making others be seen.
 */
export function createSlidingWindow(options: SlidingWindowOptions): SlidingWindow {
  const { limit, windowMs, monotonicNow, mostKeys = 10_000 } = options;
  /** In the order of their last one, so that the first to end come first. */
  const taken = new Map<string, Times>();

  function forgetEnded(now: number): void {
    for (const [key, { at }] of taken) {
      if ((at.at(-1) ?? 0) + windowMs > now) return;
      taken.delete(key);
    }
  }

  // Those that ended are moved out when they are half of all, so that a busy key does not move the rest at every one.
  function forgetEndedOf(times: Times, now: number): void {
    const { at } = times;
    while (times.ended < at.length && (at[times.ended] ?? 0) + windowMs <= now) times.ended += 1;
    if (times.ended * 2 < at.length) return;
    at.splice(0, times.ended);
    times.ended = 0;
  }

  return {
    take(asked) {
      const now = monotonicNow();
      forgetEnded(now);
      const key = taken.has(asked) || taken.size < mostKeys ? asked : EVERYONE_ELSE;
      const times = taken.get(key) ?? { at: [], ended: 0 };
      forgetEndedOf(times, now);
      const oldest = times.at[times.ended];
      if (times.at.length - times.ended >= limit && oldest !== undefined) return oldest + windowMs - now;
      times.at.push(now);
      taken.delete(key);
      taken.set(key, times);
      return 0;
    },
  };
}
