import type { FactUri } from './fact-uri.ts';
import type { JournalEntry } from './journal.ts';
import type { Partition } from './partition.ts';
import { mayRead, type Principal } from './principal.ts';

/** What an entry announces: a correction of one fact, or that there is a new fact to list. */
export type Announcement =
  | { readonly kind: 'correction'; readonly uri: FactUri }
  | { readonly kind: 'creation' };

/**
 * What an entry announces, or null for nothing. A first version is a creation, never a correction: nobody
 * can have said a fact that did not exist. Quiet entries announce nothing, and neither do those of a fact whose name is
 * lost: nobody could read it.
 */
export function announcementOf(entry: JournalEntry): Announcement | null {
  if (entry.quiet || entry.uri === null) return null;
  return entry.version === 1 ? { kind: 'creation' } : { kind: 'correction', uri: entry.uri };
}

/** Whether this principal may hear of this entry, now. Asked when subscribing, sending and replaying. */
export function mayHear(
  partition: Partition,
  principal: Principal,
  entry: Pick<JournalEntry, 'subject' | 'audience'>,
): boolean {
  return mayRead(partition, principal, entry);
}
