import type { AuditEntry } from './audit.ts';
import { type Clock, epochMs, instant } from './clock.ts';
import type { Draft } from './draft.ts';
import { versionUri } from './fact-uri.ts';
import { entryOf, type JournalEntry } from './journal.ts';
import { factUri, type Partition } from './partition.ts';
import { type Principal, writeRight } from './principal.ts';
import type { Randomness } from './randomness.ts';
import type { FactStore, Heads, Nonce, RequestKey } from './store.ts';
import { SALT_LENGTH, versionHash } from './tuple.ts';
import type { FactVersion, Kind, Salts, VersionContent, VersionHash } from './version.ts';

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
    }
  /** The same request was answered before, with this version. Nothing new was written. */
  | { readonly kind: 'repeated'; readonly version: FactVersion }
  /** Another request was sent under the same key. */
  | { readonly kind: 'idempotency_mismatch' }
  | { readonly kind: 'insufficient_scope' }
  /** The writer may not know the subject's facts, or there is nothing to withdraw. */
  | { readonly kind: 'absent' }
  /** The fact exists for another audience. */
  | { readonly kind: 'store_rejected' }
  /** `ifMatch` names another head than this one. */
  | { readonly kind: 'head_moved'; readonly head: VersionHash | null }
  | { readonly kind: 'replayed' };

/** The parts of the mechanism that a publication needs. */
export interface Publisher {
  readonly partition: Partition;
  readonly store: FactStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** What readers are told of an author who has no label. */
  readonly defaultAuthorLabel: string;
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
  const right = writeRight(on.partition, principal, draft.target.subject);
  if (right !== 'allowed') return { kind: right };
  const { target, rule } = draft;
  const lane = { subject: target.subject, audience: rule.audience };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const earlier = request && (await answerOf(on, principal, publication, request));
    if (earlier !== null) return earlier;
    const heads = await on.store.heads(target, lane);
    const head = heads.fact;
    if (head !== null && head.audience !== rule.audience) return { kind: 'store_rejected' };
    if (ifMatch !== null && ifMatch !== head?.versionHash)
      return { kind: 'head_moved', head: head?.versionHash ?? null };
    if (head === null && draft.value === null) return { kind: 'absent' };
    const version = nextVersion(on, draft, heads);
    const audit = acceptance(on.clock, principal, publication, version);
    const outcome = await on.store.append({ version, quiet, audit, nonce, request });
    if (outcome.kind === 'appended') {
      return { kind: 'published', version, entry: entryOf(version, outcome.position, quiet) };
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
  return recorded === 'replayed' ? { kind: 'replayed' } : { kind: 'repeated', version };
}

function nextVersion(on: Publisher, draft: Draft, { fact, lane }: Heads): FactVersion {
  const number = (fact?.version ?? 0) + 1;
  const uri = factUri(draft.rule, draft.target);
  // The server's clock may step back; a lane's time may not.
  const writtenAt = Math.max(on.clock.now(), lane === null ? 0 : epochMs(lane.writtenAt));
  const content: VersionContent = {
    subject: draft.target.subject,
    topic: draft.target.topic,
    uri,
    audience: draft.rule.audience,
    version: number,
    kind: kindOf(number, draft),
    laneOrdinal: (lane?.ordinal ?? 0) + 1,
    value: draft.value,
    blob: draft.blob,
    authorId: draft.authorId,
    authorLabel: draft.authorLabel ?? on.defaultAuthorLabel,
    attestation: null,
    writtenAt: instant(writtenAt),
    staleAfter: draft.staleAfter,
    prevHash: fact?.versionHash ?? null,
    salts: saltsFor(on.randomness, versionUri(uri, number), draft),
  };
  return { ...content, versionHash: versionHash(content) };
}

function kindOf(version: number, draft: Draft): Kind {
  if (version === 1) return 'create';
  return draft.value === null ? 'withdraw' : 'revise';
}

function saltsFor(randomness: Randomness, record: string, { value, blob }: Draft): Salts {
  const salt = (part: string): Uint8Array => randomness.bytes(`salt/${part}`, record, SALT_LENGTH);
  return {
    uri: salt('uri'),
    value: value === null ? null : salt('value'),
    author: salt('author'),
    label: salt('label'),
    attestation: null,
    blob: blob === null ? null : salt('blob'),
  };
}

function acceptance(
  clock: Clock,
  { sub }: Principal,
  { via }: Publication,
  { uri }: FactVersion,
): AuditEntry {
  return { at: instant(clock.now()), actor: sub, uri, outcome: 'accepted', reason: null, via, count: 1 };
}
