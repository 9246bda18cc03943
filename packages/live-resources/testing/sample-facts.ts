import type { AuditEntry } from '../src/audit.ts';
import { epochMs, type Instant, instant } from '../src/clock.ts';
import type { Subject, Topic } from '../src/fact-uri.ts';
import { type AudienceRule, definePartition, factUri, ruleOfAudience } from '../src/partition.ts';
import { seededRandomness } from '../src/randomness.ts';
import type { Append, FactStore, Heads, Nonce } from '../src/store.ts';
import { SALT_LENGTH, versionHash } from '../src/tuple.ts';
import type { FactVersion, VersionContent } from '../src/version.ts';

/** A partition of two audiences. The schemes are chosen so that URIs do not sort as subjects do. */
export const PARTITION = definePartition({
  audiences: [
    { audience: 'user', scheme: 'fact', readScope: 'read.user', speakable: true },
    { audience: 'assistant', scheme: 'fact-internal', readScope: 'read.assistant', speakable: false },
  ],
  writeScope: 'write',
});

/** When sample stores begin. */
export const START = instant(Date.UTC(2026, 0, 5, 9, 0, 0));

/** A fact to write about. */
export interface SampleFact {
  readonly subject: Subject;
  readonly topic: Topic;
  readonly rule: AudienceRule;
}

/** A fact of the sample partition. */
export function sampleFact(audience: 'user' | 'assistant', subject: string, topic: string): SampleFact {
  const rule = ruleOfAudience(PARTITION, audience);
  if (rule === null) throw new Error('the sample partition has both audiences');
  return { subject: subject as Subject, topic: topic as Topic, rule };
}

/** The lane of a sample fact. */
export function sampleLane({ subject, rule }: SampleFact): {
  subject: Subject;
  audience: AudienceRule['audience'];
} {
  return { subject, audience: rule.audience };
}

/** What a sample version says; everything has a default. */
export type VersionParts = Partial<
  Pick<
    VersionContent,
    'value' | 'blob' | 'authorId' | 'authorLabel' | 'attestation' | 'writtenAt' | 'staleAfter'
  >
>;

const randomness = seededRandomness('sample facts');

/** The version that follows `heads`, a second after the lane's newest. */
export function versionAfter(
  { fact: head, lane }: Heads,
  fact: SampleFact,
  parts: VersionParts = {},
): FactVersion {
  const uri = factUri(fact.rule, fact);
  const version = (head?.version ?? 0) + 1;
  const said = {
    value: `${fact.topic}, said for the ${version}. time`,
    blob: null,
    authorId: 'author-1',
    authorLabel: 'your care team',
    attestation: null,
    writtenAt: lane === null ? START : later(lane.writtenAt, 1000),
    staleAfter: null,
    ...parts,
  };
  const salt = (part: string): Uint8Array =>
    randomness.bytes(`salt/${part}`, `${uri}/v${version}`, SALT_LENGTH);
  const content: VersionContent = {
    ...said,
    subject: fact.subject,
    topic: fact.topic,
    uri,
    audience: fact.rule.audience,
    version,
    kind: version === 1 ? 'create' : said.value === null ? 'withdraw' : 'revise',
    laneOrdinal: (lane?.ordinal ?? 0) + 1,
    prevHash: head?.versionHash ?? null,
    salts: {
      uri: salt('uri'),
      value: said.value === null ? null : salt('value'),
      author: salt('author'),
      label: salt('label'),
      attestation: said.attestation === null ? null : salt('attestation'),
      blob: said.blob === null ? null : salt('blob'),
    },
  };
  return { ...content, versionHash: versionHash(content) };
}

/** What an append carries besides its version. */
export type AppendOptions = Partial<Omit<Append, 'version'>>;

/** An append of `version`, accepted at the time it was written. */
export function appendOf(version: FactVersion, options: AppendOptions = {}): Append {
  return { version, quiet: false, nonce: null, request: null, audit: acceptance(version), ...options };
}

/** The audit entry of an accepted version. */
export function acceptance({ writtenAt, uri }: FactVersion, parts: Partial<AuditEntry> = {}): AuditEntry {
  return attempt(writtenAt, { uri, outcome: 'accepted', reason: null, ...parts });
}

/** The audit entry of an attempt, refused unless it says otherwise. */
export function attempt(at: Instant, parts: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at,
    actor: 'writer-1',
    uri: null,
    outcome: 'refused',
    reason: 'bad_signature',
    via: 'hmac',
    count: 1,
    ...parts,
  };
}

/** A nonce that is good for five minutes from `at`. */
export function nonceOf(id: string, at: Instant): Nonce {
  return { id, expiresAt: later(at, 5 * 60_000) };
}

/** A moment some milliseconds after another. */
export function later(at: Instant, milliseconds: number): Instant {
  return instant(epochMs(at) + milliseconds);
}

/** Reads the heads, appends what follows them and gives the version. For tests with one writer. */
export async function write(
  store: FactStore,
  fact: SampleFact,
  parts: VersionParts = {},
  options: AppendOptions = {},
): Promise<FactVersion> {
  const version = versionAfter(await store.heads(fact, sampleLane(fact)), fact, parts);
  const outcome = await store.append(appendOf(version, options));
  if (outcome.kind !== 'appended') throw new Error(`a sample version was not appended: ${outcome.kind}`);
  return version;
}
