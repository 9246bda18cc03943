import { type DraftRefusal, refusalOver, refusalUnseen } from './admission.ts';
import type { AuditEntry, AuditWord } from './audit.ts';
import { type Clock, instant } from './clock.ts';
import type { Draft } from './draft.ts';
import { DEFAULT_BLOB_LIMIT } from './draft-blob.ts';
import { entryOf, type JournalEntry } from './journal.ts';
import { createLaneFlights, type LaneFlights } from './lane-flights.ts';
import { createLaneQueue, type LaneQueue } from './lane-queue.ts';
import { nextVersion, type VersionSources } from './next-version.ts';
import type { Lane, Partition } from './partition.ts';
import type { Principal } from './principal.ts';
import type { AnsweredRequest, AppendOutcome, FactStore, Nonce, RequestKey } from './store.ts';
import type { FactVersion, VersionHash } from './version.ts';

/** What a publication is made of besides the draft. */
export interface Publication {
  readonly draft: Draft;
  /** The head that the writer saw, or null to publish over whatever stands. */
  readonly ifMatch: VersionHash | null;
  /** The signature to be used up, or null when the credential has none. */
  readonly nonce: Nonce | null;
  /** The request that this is, when its sender may send it again. */
  readonly request: RequestKey | null;
  /** How the writer was authenticated. */
  readonly via: AuditWord;
  /** Recorded but not announced. */
  readonly quiet: boolean;
}

/** How a publication ended. Everything but `published` left no state behind. */
export type PublishOutcome =
  | {
      readonly kind: 'published';
      readonly version: FactVersion;
      /** For this server's own journal follower. Its position is for nobody else, the writer included. */
      readonly entry: JournalEntry;
      /** The row of the audit log, as it was written. */
      readonly audit: AuditEntry;
    }
  /** The same request was answered before, with this version. Nothing new was written. */
  | { readonly kind: 'repeated'; readonly version: FactVersion; readonly audit: AuditEntry }
  /** Another request was sent under the same key. */
  | { readonly kind: 'idempotency_mismatch' }
  | { readonly kind: 'replayed' }
  | DraftRefusal;

/** The parts of the mechanism that a publication needs. */
export interface Publisher extends VersionSources {
  readonly partition: Partition;
  readonly store: FactStore;
  /** The most bytes that a blob may have; {@link DEFAULT_BLOB_LIMIT} where it is left out. */
  readonly blobLimit?: number;
}

/** The order in which the writers of this process take their turns, and what they have under way. */
export interface Turns {
  readonly queue: LaneQueue;
  readonly flights: { of(lane: Lane): LaneFlights };
}

/** Turns that nobody has taken yet. */
export function createTurns(): Turns {
  return { queue: createLaneQueue(), flights: createLaneFlights() };
}

const MOST_TRIES = 64;
// From then on a writer follows only what is stored: those ahead of it have failed it often enough.
const HOPEFUL_TRIES = 2;

/**
 * Publishes one version in one transaction: version, chain, journal, audit row and nonce.
 *
 * A writer waits for its turn in its lane and not for those before it to be stored: its version follows theirs,
 * and many are stored together. When one of theirs is not, the store's compare-and-swap refuses this one, and
 * the writer starts over.
 *
 * @param turns shared by all writers of this process; a writer with turns of its own meets others in the store only.
 * @throws Error when another writer keeps winning; nothing was written.
 */
export async function publish(
  on: Publisher,
  principal: Principal,
  publication: Publication,
  turns: Turns = createTurns(),
): Promise<PublishOutcome> {
  const { target, rule } = publication.draft;
  // Who may not write must not wait behind those who may: the wait would tell of them.
  const unseen = refusalUnseen(
    on.partition,
    on.blobLimit ?? DEFAULT_BLOB_LIMIT,
    principal,
    publication.draft,
  );
  if (unseen !== null) return unseen;
  const lane = { subject: target.subject, audience: rule.audience };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const step = await turns.queue.run(lane, async () => {
      const flights = turns.flights.of(lane);
      if (flights.lost || tries >= HOPEFUL_TRIES) await flights.ended();
      return takeTurn(on, principal, publication, flights);
    });
    if (step.kind === 'refused') return step.refusal;
    if (step.kind === 'answered') return repeat(on, principal, publication, step.answered);
    if (step.kind === 'undecided') {
      await step.until;
      continue;
    }
    const { version, audit } = step;
    const outcome = await step.outcome;
    if (outcome.kind === 'appended') {
      return {
        kind: 'published',
        version,
        entry: entryOf(version, outcome.position, publication.quiet),
        audit,
      };
    }
    if (outcome.kind === 'replayed') return { kind: 'replayed' };
  }
  throw new Error('a publication lost to other writers too often');
}

/** What a writer did with its turn. */
type Step =
  | {
      readonly kind: 'appending';
      readonly version: FactVersion;
      readonly audit: AuditEntry;
      readonly outcome: Promise<AppendOutcome>;
    }
  | { readonly kind: 'answered'; readonly answered: AnsweredRequest }
  | { readonly kind: 'refused'; readonly refusal: DraftRefusal }
  /** The answer depends on a version that is not stored yet, and might never be. */
  | { readonly kind: 'undecided'; readonly until: Promise<unknown> };

async function takeTurn(
  on: Publisher,
  principal: Principal,
  publication: Publication,
  flights: LaneFlights,
): Promise<Step> {
  const { draft, ifMatch, nonce, request, quiet } = publication;
  const { target, rule } = draft;
  const same = request && flights.ofRequest(request.id);
  if (same !== null) return { kind: 'undecided', until: same.ended };
  // Asked at every turn: the request that this one repeats may be the one that it lost to.
  const answered = request && (await on.store.answered(request.id));
  if (answered !== null) return { kind: 'answered', answered };
  // Looked at before the store is, so that one that is stored meanwhile is seen at least once.
  const [ahead, laneAhead] = [flights.ofFact(target.topic), flights.head];
  const stored = await on.store.heads(target, { subject: target.subject, audience: rule.audience });
  const fact =
    ahead !== null && ahead.version.version > (stored.fact?.version ?? 0) ? ahead.version : stored.fact;
  const lane =
    laneAhead !== null && laneAhead.ordinal > (stored.lane?.ordinal ?? 0) ? laneAhead : stored.lane;
  const refusal = refusalOver(fact, draft, ifMatch);
  if (refusal !== null) {
    return ahead !== null && fact === ahead.version
      ? { kind: 'undecided', until: ahead.ended }
      : { kind: 'refused', refusal };
  }
  const version = nextVersion(on, draft, { fact, lane });
  const audit = acceptance(on.clock, principal, publication, version);
  const append = { version, quiet, audit, nonce, request };
  const outcome = on.store.append(append);
  flights.add(append, outcome);
  return { kind: 'appending', version, audit, outcome };
}

async function repeat(
  { store, clock }: Publisher,
  principal: Principal,
  publication: Publication,
  answered: AnsweredRequest,
): Promise<PublishOutcome> {
  if (answered.requestHash !== publication.request?.requestHash) return { kind: 'idempotency_mismatch' };
  const version = await store.version(answered.fact, answered.version);
  if (version === null) throw new Error('a request was answered with a version that is not there');
  // The retry has a signature of its own, which is used up like any other.
  const audit: AuditEntry = { ...acceptance(clock, principal, publication, version), reason: 'repeated' };
  const recorded = await store.record(audit, publication.nonce);
  return recorded === 'replayed' ? { kind: 'replayed' } : { kind: 'repeated', version, audit };
}

function acceptance(
  clock: Clock,
  { sub }: Principal,
  { via }: Publication,
  { uri }: FactVersion,
): AuditEntry {
  return { at: instant(clock.now()), actor: sub, uri, outcome: 'accepted', reason: null, via, count: 1 };
}
