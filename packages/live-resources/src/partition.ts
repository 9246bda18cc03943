import type { FactUri, Subject, Topic } from './fact-uri.ts';

/** Who a fact is for. Fixed by a fact's first version and never changed. */
export type Audience = string & { readonly __brand: 'Audience' };

/** How one audience is named on the outside, and which scope reads it. */
export interface AudienceRule {
  readonly audience: Audience;
  /** The URI scheme of this audience's facts, without `://`. */
  readonly scheme: string;
  /** The scope a principal must hold to read this audience. */
  readonly readScope: string;
  /** Whether a person may hear these facts. */
  readonly speakable: boolean;
}

/**
 * The application's division of facts into audiences: the only place that puts a scheme, an audience
 * and a scope side by side.
 */
export interface Partition {
  readonly rules: readonly AudienceRule[];
  /** The scope a principal must hold to write any fact. */
  readonly writeScope: string;
}

/** The shape of a partition as an application writes it down. */
export interface PartitionDefinition {
  readonly audiences: readonly {
    readonly audience: string;
    readonly scheme: string;
    readonly readScope: string;
    readonly speakable: boolean;
  }[];
  readonly writeScope: string;
}

const AUDIENCE = /^[a-z][a-z0-9-]{0,31}$/;
const SCHEME = /^[a-z][a-z0-9-]{0,63}$/;
// RFC 6749, section 3.3. An empty scope would be held by every token whose scopes were split at a space.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Checks and freezes a partition.
 *
 * @throws Error when a name is malformed, or two audiences share a scheme, a name or a scope: each of
 *   these would let one check answer for the other.
 */
export function definePartition(definition: PartitionDefinition): Partition {
  const { audiences, writeScope } = definition;
  for (const scope of [writeScope, ...audiences.map(({ readScope }) => readScope)]) {
    if (!SCOPE.test(scope)) throw new Error(`not a scope: ${JSON.stringify(scope)}`);
  }
  const seen = new Set<string>([`scope ${writeScope}`]);
  for (const { audience, scheme, readScope } of audiences) {
    if (!AUDIENCE.test(audience)) throw new Error(`not an audience name: ${JSON.stringify(audience)}`);
    if (!SCHEME.test(scheme)) throw new Error(`not a URI scheme: ${JSON.stringify(scheme)}`);
    for (const name of [`audience ${audience}`, `scheme ${scheme}`, `scope ${readScope}`]) {
      if (seen.has(name)) throw new Error(`two audiences share one ${name}`);
      seen.add(name);
    }
  }
  const rules = audiences.map((rule) => Object.freeze({ ...rule, audience: rule.audience as Audience }));
  return Object.freeze({ rules: Object.freeze(rules), writeScope });
}

/** The rule of a URI scheme, or null when the partition has no such scheme. */
export function ruleOfScheme(partition: Partition, scheme: string): AudienceRule | null {
  return partition.rules.find((rule) => rule.scheme === scheme) ?? null;
}

/** The rule of an audience, or null when the partition has no such audience. */
export function ruleOfAudience(partition: Partition, audience: string): AudienceRule | null {
  return partition.rules.find((rule) => rule.audience === audience) ?? null;
}

/** All versions of one subject for one audience, in order. */
export interface Lane {
  readonly subject: Subject;
  readonly audience: Audience;
}

/** A lane's name, for maps and tokens. No part of it has a slash. */
export function laneKey({ subject, audience }: Lane): string {
  return `${audience}/${subject}`;
}

/** A fact's identity: chains are keyed by subject and topic, never by audience. */
export interface FactKey {
  readonly subject: Subject;
  readonly topic: Topic;
}

/** The bare URI of a fact in its audience. */
export function factUri(rule: AudienceRule, fact: FactKey): FactUri {
  return `${rule.scheme}://${fact.subject}/${fact.topic}` as FactUri;
}
