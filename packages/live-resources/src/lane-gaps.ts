import type { Lane } from './partition.ts';
import type { LaneHead } from './store.ts';

/** A place of a lane that no version holds. */
export interface LaneGap extends Lane {
  readonly ordinal: number;
}

/**
 * Finds what replaying chains cannot: a fact that was removed whole, with its head. Its versions had places
 * in their lane, and a lane's places run from 1 to its head without a gap.
 *
 * Gives the first missing place of each lane; one past the head when the lane holds more than its head says.
 */
export function laneGaps(
  lanes: Iterable<Lane & LaneHead>,
  ordinalsOf: (lane: Lane) => Iterable<number>,
): LaneGap[] {
  const gaps: LaneGap[] = [];
  for (const { subject, audience, ordinal: head } of lanes) {
    let next = 1;
    for (const ordinal of [...ordinalsOf({ subject, audience })].sort((a, b) => a - b)) {
      if (ordinal !== next) break;
      next += 1;
    }
    if (next !== head + 1) gaps.push({ subject, audience, ordinal: Math.min(next, head + 1) });
  }
  return gaps;
}
