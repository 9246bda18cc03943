import type { Instant } from './clock.ts';
import type { FactUri, Subject } from './fact-uri.ts';
import type { Audience } from './partition.ts';
import type { FactVersion, Kind } from './version.ts';

/**
 * A place in the server's own total order of entries. It counts what no single principal may see, so it
 * never leaves the server, not even encrypted.
 */
export type Position = number & { readonly __brand: 'Position' };

/** Before every entry. */
export const BEGINNING = 0 as Position;

/** One version's entry in the journal. It says that something changed, never what it says now. */
export interface JournalEntry {
  readonly position: Position;
  /** Null for a name that is lost: whoever follows goes on past it, and whoever reads that fact is told. */
  readonly uri: FactUri | null;
  readonly subject: Subject;
  readonly audience: Audience;
  readonly version: number;
  readonly kind: Kind;
  readonly writtenAt: Instant;
  /** Written by a seed or an import: recorded, never announced. */
  readonly quiet: boolean;
}

/** An entry whose fact has a name. */
export type NamedEntry = JournalEntry & { readonly uri: FactUri };

/** Whether the name of an entry's fact is known. */
export function isNamed(entry: JournalEntry): entry is NamedEntry {
  return entry.uri !== null;
}

/** The entry of a version at its place. */
export function entryOf(version: FactVersion, position: Position, quiet: boolean): NamedEntry {
  const { uri, subject, audience, kind, writtenAt } = version;
  return { position, uri, subject, audience, version: version.version, kind, writtenAt, quiet };
}
