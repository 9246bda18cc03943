/** A timer that a part of the server asked the machine for. */
export interface Interval {
  readonly run: () => void;
  readonly everyMs: number;
}

type SetInterval = typeof globalThis.setInterval;

/**
 * Runs `work` and takes the intervals that it asks for in its first turn, so that a run can let them fall due in
 * its own time. None of them reaches the machine.
 */
export function capturingIntervals<Result>(work: () => Result): {
  readonly result: Result;
  readonly intervals: readonly Interval[];
} {
  const intervals: Interval[] = [];
  const real = globalThis.setInterval;
  const handle = { unref: () => handle };
  const capture = (run: () => void, everyMs = 0): typeof handle => {
    intervals.push({ run, everyMs });
    return handle;
  };
  globalThis.setInterval = capture as unknown as SetInterval;
  try {
    return { result: work(), intervals };
  } finally {
    globalThis.setInterval = real;
  }
}
