import { type DraftRefusal, refusalOver, refusalUnseen } from './admission.ts';
import type { AuditEntry } from './audit.ts';
import { type Clock, instant } from './clock.ts';
import type { Draft } from './draft.ts';
import { DEFAULT_BLOB_LIMIT } from './draft-blob.ts';
import { entryOf, type JournalEntry } from './journal.ts';
import { nextVersion, type VersionSources } from './next-version.ts';
import type { Partition } from './partition.ts';
import type { Principal } from './principal.ts';
import type { FactStore, Nonce, RequestKey } from './store.ts';
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
  /** How the writer was authenticated, a word for the audit. */
  readonly via: string;
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

const MOST_TRIES = 64;

/**
 * Publishes one version in one transaction: version, chain, journal, audit row and nonce.
 *
 * @throws Error when another writer keeps winning; nothing was written.
 */
export async function publish(
  on: Publisher,
  principal: Principal,
  publication: Publication,
): Promise<PublishOutcome> {
  const { draft, ifMatch, nonce, request, quiet } = publication;
  const unseen = refusalUnseen(on.partition, on.blobLimit ?? DEFAULT_BLOB_LIMIT, principal, draft);
  if (unseen !== null) return unseen;
  const { target, rule } = draft;
  const lane = { subject: target.subject, audience: rule.audience };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const earlier = request && (await answerOf(on, principal, publication, request));
    if (earlier !== null) return earlier;
    const heads = await on.store.heads(target, lane);
    const refusal = refusalOver(heads.fact, draft, ifMatch);
    if (refusal !== null) return refusal;
    const version = nextVersion(on, draft, heads);
    const audit = acceptance(on.clock, principal, publication, version);
    const outcome = await on.store.append({ version, quiet, audit, nonce, request });
    if (outcome.kind === 'appended') {
      return { kind: 'published', version, entry: entryOf(version, outcome.position, quiet), audit };
    }
    if (outcome.kind === 'replayed') return { kind: 'replayed' };
  }
  throw new Error('a publication lost to other writers too often');
}

// Asked in every round: the request that this one repeats may be the one that it lost to.
async function answerOf(
  { store, clock }: Publisher,
  principal: Principal,
  publication: Publication,
  { id, requestHash }: RequestKey,
): Promise<PublishOutcome | null> {
  const answered = await store.answered(id);
  if (answered === null) return null;
  if (answered.requestHash !== requestHash) return { kind: 'idempotency_mismatch' };
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
