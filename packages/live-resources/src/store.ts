import type { AuditEntry, AuditRow } from './audit.ts';
import type { ChainHead } from './chain.ts';
import type { Instant } from './clock.ts';
import type { FactUri } from './fact-uri.ts';
import type { JournalEntry, Position } from './journal.ts';
import type { Audience, FactKey, Lane } from './partition.ts';
import type { FactVersion } from './version.ts';

/** A lane's newest entry. */
export interface LaneHead {
  /** How many versions the lane has. */
  readonly ordinal: number;
  readonly writtenAt: Instant;
}

/** What a writer must have seen before it can say what its version follows. */
export interface Heads {
  readonly fact: FactVersion | null;
  readonly lane: LaneHead | null;
}

/** A signature that may be used once. `id` is a hash of it. */
export interface Nonce {
  readonly id: string;
  /** When the signature is too old to be accepted anyway; the row may be dropped some time after. */
  readonly expiresAt: Instant;
}

/** A request that is carried out once, however often it is sent. */
export interface RequestKey {
  /** A hash of whose request it is and of the key that the sender chose. */
  readonly id: string;
  /** A hash of what is requested: the same key with another one is a mistake of the sender. */
  readonly requestHash: string;
  /** Until when it is remembered at the least. */
  readonly expiresAt: Instant;
}

/** The version that a request was answered with. */
export interface AnsweredRequest {
  readonly requestHash: string;
  readonly fact: FactKey;
  readonly version: number;
}

/** Everything that one publication makes durable, together or not at all. */
export interface Append {
  readonly version: FactVersion;
  readonly quiet: boolean;
  readonly audit: AuditEntry;
  readonly nonce: Nonce | null;
  readonly request: RequestKey | null;
}

/** How an append ended. */
export type AppendOutcome =
  | { readonly kind: 'appended'; readonly position: Position }
  /**
   * The fact's head or the lane's head is no longer what the version says it follows, or a request of the
   * same id was answered.
   */
  | { readonly kind: 'moved' }
  /** The nonce was used before. */
  | { readonly kind: 'replayed' };

/** A selection of lanes: what a principal may read. */
export interface LaneFilter {
  readonly subjects: ReadonlySet<string> | '*';
  readonly audiences: readonly Audience[];
}

/** A page of facts in the order of their URIs (code points). */
export interface FactPage extends LaneFilter {
  /** Facts whose URI sorts after this one; null from the start. */
  readonly after: FactUri | null;
  readonly limit: number;
}

/** A fact by its names alone. */
export interface FactName extends FactKey {
  readonly uri: FactUri;
  readonly audience: Audience;
}

/**
 * How the bytes of a stored version are sealed: what names the key without telling it. Whoever holds a copy of
 * the store can compare, and needs no key for that.
 */
export interface Seal {
  /** Who wraps the data key, such as `local`. */
  readonly provider: string;
  /** The provider's key. */
  readonly keyId: string;
  /** Hex. */
  readonly nonce: string;
  /** Hex. */
  readonly tag: string;
}

/** Some versions of a chain. */
export interface ChainPage {
  /** The number of the version before the first of them; 0 from the start. */
  readonly after: number;
  readonly limit: number;
}

/** The stored versions of a fact. */
export interface StoredChain {
  /** What the store says is the newest. */
  readonly head: ChainHead | null;
  /** All of them or a page, oldest first. One that cannot be read is there, with no words, and replays as broken. */
  readonly versions: readonly FactVersion[];
  /** How each version is sealed, in the same order; null where it is not. */
  readonly seals: readonly (Seal | null)[];
}

/** A correction with the version it corrected, and its place for ordering within the server. */
export interface StoredCorrection {
  readonly position: Position;
  readonly version: FactVersion;
  readonly previous: FactVersion;
}

/** Which corrections of one lane: after an ordinal and not before a time, oldest first. */
export interface CorrectionQuery {
  readonly lane: Lane;
  readonly afterOrdinal: number;
  readonly since: Instant | null;
  readonly limit: number;
}

/**
 * Where facts live. Implementations pass `testing/store-contract.ts`.
 *
 * Concurrency. Any number of processes may call any method at once. `append` is the only way a fact
 * changes and is a compare-and-swap: it succeeds exactly when the fact's head is the version that
 * `version.prevHash` names (none, for a first version) and the lane's head has ordinal
 * `version.laneOrdinal - 1` and was not written later than `version.writtenAt`. Of two appends that follow the same heads one succeeds, the other is told
 * `moved` and has changed nothing. A first version also fails as `moved` when the fact exists. Readers see
 * an append whole or not at all, and once they have seen a journal position they see every lower one that
 * will ever exist: a position is never filled in later behind a reader's back.
 *
 * Durability. When `append` or `record` resolves as anything but a refusal of its own, what it wrote
 * survives the death of the process and of the machine. A rejected promise means that nothing was written.
 *
 * Damage. A record whose bytes are not what was written is never served and never taken for one that is not
 * there: whoever reads it gets a rejection. `chain` alone gives what is left of it, so that replaying tells
 * where. Other facts stay readable.
 *
 * Order. Positions grow by one in the order of appends; lane ordinals grow by one within a lane; the
 * store computes neither time nor hashes.
 */
export interface FactStore {
  /** What a version of this fact, in this lane, would follow. */
  heads(fact: FactKey, lane: Lane): Promise<Heads>;

  /** Adds one version, its journal entry, its audit row and its nonce. See the contract above. */
  append(entry: Append): Promise<AppendOutcome>;

  /** The answer that a request of this id was given, or null. */
  answered(id: string): Promise<AnsweredRequest | null>;

  /** Records an attempt that wrote no version, and uses up its nonce when it has one; `replayed` changes nothing. */
  record(audit: AuditEntry, nonce: Nonce | null): Promise<'recorded' | 'replayed'>;

  /**
   * Adds one to the durable count of attempts that equal `audit` in all but time, for the minute that
   * starts at `audit.at`. Counts of earlier minutes become rows of the log before its next row.
   */
  countRefusal(audit: AuditEntry): Promise<void>;

  /**
   * Whom a fact is for, or null when there is none. It touches no version, so that the look-up of a fact
   * that a reader may not know takes as long as that of one which is not there.
   */
  audienceOf(fact: FactKey): Promise<Audience | null>;

  /**
   * The head of a fact that is for this audience; null when there is none, or when it is for another. What is kept in
   * memory to answer faster is kept for each audience apart: who asks for one must not find it warm from readers of another.
   */
  headFor(fact: FactKey, audience: Audience): Promise<FactVersion | null>;

  /** One version, or the head for null; null when there is none. */
  version(fact: FactKey, version: number | null): Promise<FactVersion | null>;

  /** The number of the fact's newest withdrawal, or 0. */
  withdrawnThrough(fact: FactKey): Promise<number>;

  /** The heads of a page of facts. */
  list(page: FactPage): Promise<readonly FactVersion[]>;

  /** The names of a page of facts, whatever became of their versions: what is to be verified must be found. */
  names(page: FactPage): Promise<readonly FactName[]>;

  /** Versions of a fact, oldest first, all or a page, and what the store says its head is at that moment. */
  chain(fact: FactKey, page?: ChainPage): Promise<StoredChain>;

  /** The lanes that hold any version, with their heads. */
  lanes(filter: LaneFilter): Promise<readonly (Lane & LaneHead)[]>;

  /** Corrections of one lane. */
  corrections(query: CorrectionQuery): Promise<readonly StoredCorrection[]>;

  /** Where in the journal the entry of this ordinal of a lane stands, or null when the lane has none such. */
  positionOf(lane: Lane, ordinal: number): Promise<Position | null>;

  /** Journal entries of one lane after an ordinal, in order. They cost the same whatever other lanes hold. */
  laneEntries(lane: Lane, afterOrdinal: number, limit: number): Promise<readonly JournalEntry[]>;

  /** Journal entries after a position, in order. */
  journal(after: Position, limit: number): Promise<readonly JournalEntry[]>;

  /** The newest position, or the beginning. */
  journalHead(): Promise<Position>;

  /** Rows of the audit log from an index on (0 is the oldest), then the counts not yet turned into rows. */
  audit(
    fromIndex: number,
    limit: number,
  ): Promise<{ readonly rows: readonly AuditRow[]; readonly counted: readonly AuditEntry[] }>;
}
