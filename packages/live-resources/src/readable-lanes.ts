import { parseSubject } from './fact-uri.ts';
import type { Lane, Partition } from './partition.ts';
import { holdsSubject, mayRead, type Principal, readableAudiences } from './principal.ts';
import type { FactStore, LaneFilter, LaneHead } from './store.ts';

/** The most lanes that a token can hold with subjects of the longest names, so that what is sealed can be opened again. */
export const MOST_LANES = 1000;

/**
 * What a principal may read, of one subject or of every one it was granted: what a store is to be asked for. A
 * subject that is malformed, unknown or not granted has nothing.
 */
export function readableLanes(
  partition: Partition,
  principal: Principal,
  subject: string | null,
): LaneFilter {
  const audiences = readableAudiences(partition, principal).map((rule) => rule.audience);
  if (subject === null) return { subjects: principal.subjects, audiences };
  const asked = parseSubject(subject);
  const holds = asked !== null && holdsSubject(principal, asked);
  return { subjects: new Set(holds ? [subject] : []), audiences };
}

/** The lanes that hold anything which a principal may read, of one subject or of all, each decided anew. */
export async function lanesReadBy(
  partition: Partition,
  store: FactStore,
  principal: Principal,
  subject: string | null = null,
): Promise<readonly (Lane & LaneHead)[]> {
  const lanes = await store.lanes(readableLanes(partition, principal, subject));
  // The second of the two checks: what the store was asked for is not what decides.
  return lanes.filter(
    (lane) => (subject === null || lane.subject === subject) && mayRead(partition, principal, lane),
  );
}
