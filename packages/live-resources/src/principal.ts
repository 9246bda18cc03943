import type { Subject } from './fact-uri.ts';
import { type AudienceRule, type Lane, type Partition, ruleOfAudience } from './partition.ts';

/** A verified caller. Made from a verified credential and from nothing else. */
export interface Principal {
  /** Who it is, as the issuer of the credential names them. With `clientId` it owns cursors. */
  readonly sub: string;
  /** The program that acts for them. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The subjects it was granted, or `'*'` for all. */
  readonly subjects: ReadonlySet<string> | '*';
}

/** Whether the principal was granted this subject. */
export function holdsSubject(principal: Principal, subject: Subject): boolean {
  return principal.subjects === '*' || principal.subjects.has(subject);
}

/**
 * The one rule of reading and hearing: the subject was granted, and the scope of the lane's audience is
 * held. Every path asks this and nothing else, at the moment it answers.
 */
export function mayRead(partition: Partition, principal: Principal, lane: Lane): boolean {
  const rule = ruleOfAudience(partition, lane.audience);
  return rule !== null && principal.scopes.has(rule.readScope) && holdsSubject(principal, lane.subject);
}

/** The audiences whose scope the principal holds. */
export function readableAudiences(partition: Partition, principal: Principal): AudienceRule[] {
  return partition.rules.filter((rule) => principal.scopes.has(rule.readScope));
}

/** Whether the principal holds the reading scope of any audience at all. */
export function readsAnything(partition: Partition, principal: Principal): boolean {
  return partition.rules.some((rule) => principal.scopes.has(rule.readScope));
}

/** What the partition says of a write, before any fact is looked up. */
export type WriteRight = 'allowed' | 'insufficient_scope' | 'absent';

/**
 * The rule of writing. The write scope is a property of the credential, so its lack is said openly. A
 * writer also needs the subject and every reading scope; without them the subject's facts are absent to
 * it, whatever exists, since a writer that cannot read would learn from refusals.
 */
export function writeRight(partition: Partition, principal: Principal, subject: Subject): WriteRight {
  if (!principal.scopes.has(partition.writeScope)) return 'insufficient_scope';
  if (!holdsSubject(principal, subject)) return 'absent';
  return partition.rules.every((rule) => principal.scopes.has(rule.readScope)) ? 'allowed' : 'absent';
}

/** The same caller with no scope beyond `scopes`. Narrowing never adds a right. */
export function narrow(principal: Principal, scopes: readonly string[]): Principal {
  return { ...principal, scopes: new Set(scopes.filter((scope) => principal.scopes.has(scope))) };
}
