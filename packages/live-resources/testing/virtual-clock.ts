import type { Clock } from '../src/clock.ts';

/** A clock that moves only when it is told to. */
export interface VirtualClock extends Clock {
  /** Moves it, back for a negative number. */
  advance(milliseconds: number): void;
}

/** A clock that stands at `start`, in epoch milliseconds. */
export function createVirtualClock(start: number): VirtualClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
