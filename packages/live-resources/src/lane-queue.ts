import { type Lane, laneKey } from './partition.ts';

/** Runs the work of one lane one after the other, and that of different lanes side by side. */
export interface LaneQueue {
  run<Result>(lane: Lane, work: () => Promise<Result>): Promise<Result>;
}

/**
 * A queue within this process. Two writers of one lane would both follow the same head and one of them
 * would have to start over; in a queue each finds the head that it will follow. Other processes are not
 * in it: the store's compare-and-swap is what keeps a lane right.
 */
export function createLaneQueue(): LaneQueue {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(lane, work) {
      const key = laneKey(lane);
      const result = (tails.get(key) ?? Promise.resolve()).then(work, work);
      const forget = (): void => {
        if (tails.get(key) === tail) tails.delete(key);
      };
      const tail: Promise<void> = result.then(forget, forget);
      tails.set(key, tail);
      return result;
    },
  };
}
