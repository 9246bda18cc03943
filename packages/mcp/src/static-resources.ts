import type { ReadContent, ResourceEntry } from './application.ts';

/**
 * A resource that never changes while the server runs and is the same for every principal, so it may hold nothing
 * that not everyone may know. It is found by exactly its URI. Who subscribes to a listed one is never told of anything.
 */
export interface StaticResource {
  readonly entry: ResourceEntry;
  readonly content: ReadContent;
  /** Whether `resources/list` names it; what is found on another way need not be listed. */
  readonly listed: boolean;
}

/** The static resource at exactly this URI. */
export function staticAt(statics: readonly StaticResource[], uri: string): StaticResource | undefined {
  return statics.find(({ entry }) => entry.uri === uri);
}

/**
 * Entries and the listed static resources after a URI, in one order: by code point of the URI, which is that of the
 * entries. `entries` are those after the URI already.
 */
export function withListed(
  entries: readonly ResourceEntry[],
  statics: readonly StaticResource[],
  after: string | null,
): readonly ResourceEntry[] {
  const listed = statics
    .filter(({ listed, entry }) => listed && (after === null || entry.uri > after))
    .map(({ entry }) => entry);
  return [...entries, ...listed].sort((one, other) => (one.uri < other.uri ? -1 : 1));
}
