import { type ParsedFactUri, parseFactUri } from './fact-uri.ts';
import { type AudienceRule, type Partition, ruleOfScheme } from './partition.ts';
import { mayRead, type Principal, readableAudiences } from './principal.ts';
import type { FactStore } from './store.ts';
import type { FactVersion } from './version.ts';
import { asTakenBack } from './withdrawal.ts';

/** What a read found. */
export type ReadOutcome =
  | {
      readonly kind: 'found';
      readonly version: FactVersion;
      /** The newest version; the same object when it is the one that was read. */
      readonly head: FactVersion;
      /** The version whose words the head takes back: the one read, or the head's predecessor. */
      readonly superseded: FactVersion | null;
    }
  | { readonly kind: 'absent' };

const ABSENT = { kind: 'absent' } as const;

/** Reads one fact or one of its versions. Malformed, absent and forbidden are the same answer. */
export async function readFact(
  partition: Partition,
  store: FactStore,
  principal: Principal,
  uri: string,
): Promise<ReadOutcome> {
  const request = admit(partition, principal, uri);
  if (request === null) return ABSENT;
  const opened = (version: FactVersion | null): FactVersion | null =>
    version !== null && opens(partition, principal, request.rule, version) ? version : null;
  const read = async (number: number): Promise<FactVersion | null> =>
    opened(await store.version(request.target, number));
  const head = opened(await store.headFor(request.target, request.rule.audience));
  if (head === null) return ABSENT;
  const asked = request.target.version ?? head.version;
  if (asked > head.version) return ABSENT;
  if (asked < head.version) {
    const older = asked > (await store.withdrawnThrough(head)) ? await read(asked) : null;
    return older === null ? ABSENT : { kind: 'found', version: older, head, superseded: older };
  }
  const superseded = head.version === 1 ? null : await read(head.version - 1);
  return { kind: 'found', version: head, head, superseded: superseded && asTakenBack(superseded, head) };
}

/** The right that the URI itself demands: its scheme's scope and its subject. */
function admit(
  partition: Partition,
  principal: Principal,
  uri: string,
): { target: ParsedFactUri; rule: AudienceRule } | null {
  const target = parseFactUri(uri);
  const rule = target && ruleOfScheme(partition, target.scheme);
  if (target === null || rule === null) return null;
  return mayRead(partition, principal, { subject: target.subject, audience: rule.audience })
    ? { target, rule }
    : null;
}

/**
 * The right that the stored fact demands. Chains are keyed by subject and topic, so a URI of one scheme
 * can name a fact of another; such a URI is absent even to a principal who may read both.
 */
function opens(
  partition: Partition,
  principal: Principal,
  rule: AudienceRule,
  version: FactVersion,
): boolean {
  return version.audience === rule.audience && mayRead(partition, principal, version);
}

/** The heads of the facts a principal may read, after a URI, in the order of URIs. */
export async function listFacts(
  partition: Partition,
  store: FactStore,
  principal: Principal,
  after: string | null,
  limit: number,
): Promise<readonly FactVersion[]> {
  const audiences = readableAudiences(partition, principal).map((rule) => rule.audience);
  const parsed = after === null ? null : parseFactUri(after);
  if (audiences.length === 0 || (after !== null && parsed === null)) return [];
  const page = await store.list({
    subjects: principal.subjects,
    audiences,
    after: parsed?.uri ?? null,
    limit,
  });
  // The second of the two checks: what the store was asked for is not what decides.
  return page.filter((fact) => mayRead(partition, principal, fact));
}
