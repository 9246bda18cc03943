import { type ChangesOutcome, type ChangesQuery, changesSince } from './changes.ts';
import type { CursorCodec } from './cursor.ts';
import type { Draft } from './draft.ts';
import { type PreviewOutcome, previewDraft } from './preview.ts';
import type { Principal } from './principal.ts';
import { createTurns, type Publication, type Publisher, type PublishOutcome, publish } from './publish.ts';
import { listFacts, type ReadOutcome, readFact } from './reading.ts';
import { type VerificationQuery, type VerifiedPart, verifyChains } from './verification.ts';
import type { FactVersion, VersionHash } from './version.ts';

/** What the mechanism is made of. */
export interface LiveResourcesParts extends Publisher {
  readonly cursors: CursorCodec;
}

/**
 * Facts that change, over one partition and one store. Every method takes the principal who asks and
 * decides anew, at that moment, what it may know.
 */
export interface LiveResources extends LiveResourcesParts {
  /** Publishes a version. */
  publish(principal: Principal, publication: Publication): Promise<PublishOutcome>;
  /** What publishing a draft now would make. */
  preview(principal: Principal, draft: Draft, ifMatch: VersionHash | null): Promise<PreviewOutcome>;
  /** Reads a fact, or one version of it, by URI. */
  read(principal: Principal, uri: string): Promise<ReadOutcome>;
  /** A page of the facts the principal may read. */
  list(principal: Principal, after: string | null, limit: number): Promise<readonly FactVersion[]>;
  /** Corrections since a time or a cursor. */
  changes(principal: Principal, query: ChangesQuery): Promise<ChangesOutcome>;
  /** Replays the chains the principal may read. */
  verify(principal: Principal, query: VerificationQuery): AsyncGenerator<VerifiedPart>;
}

/** Joins a partition, a store and the injected sources of time and randomness. */
export function createLiveResources(parts: LiveResourcesParts): LiveResources {
  const { partition, store, cursors } = parts;
  const turns = createTurns();
  return {
    ...parts,
    publish: (principal, publication) => publish(parts, principal, publication, turns),
    preview: (principal, draft, ifMatch) => previewDraft(parts, principal, draft, ifMatch),
    read: (principal, uri) => readFact(partition, store, principal, uri),
    list: (principal, after, limit) => listFacts(partition, store, principal, after, limit),
    changes: (principal, query) => changesSince(partition, store, cursors, principal, query),
    verify: (principal, query) => verifyChains(partition, store, principal, query),
  };
}
