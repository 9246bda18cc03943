import type { Clock } from '../src/clock.ts';

/** A clock that moves only when told. */
export interface VirtualClock extends Clock {
  advanceSeconds(seconds: number): void;
}

export function createVirtualClock(startMs = Date.UTC(2026, 0, 15, 12)): VirtualClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advanceSeconds(seconds) {
      nowMs += seconds * 1000;
    },
  };
}
