import { type ChainVerdict, replayChain } from './chain.ts';
import type { FactUri, Subject, Topic } from './fact-uri.ts';
import type { Partition } from './partition.ts';
import { type Principal, readableAudiences } from './principal.ts';
import type { FactName, FactStore, Seal } from './store.ts';
import type { FactVersion } from './version.ts';

/** One fact's chain, replayed. */
export interface VerifiedChain {
  readonly uri: FactUri;
  readonly versions: readonly FactVersion[];
  /** How each version is sealed, in the same order; null where it is not. */
  readonly seals: readonly (Seal | null)[];
  readonly verdict: ChainVerdict;
}

/** Which chains to replay; null for all. */
export interface VerificationQuery {
  readonly subject: Subject | null;
  readonly topic: Topic | null;
}

const PAGE = 100;

/** Replays every chain that the principal may read, in the order of URIs. */
export async function* verifyChains(
  partition: Partition,
  store: FactStore,
  principal: Principal,
  { subject, topic }: VerificationQuery,
): AsyncGenerator<VerifiedChain> {
  const audiences = readableAudiences(partition, principal).map((rule) => rule.audience);
  const subjects = subject === null ? principal.subjects : granted(principal, subject);
  let after: FactUri | null = null;
  for (;;) {
    const page: readonly FactName[] = await store.names({ subjects, audiences, after, limit: PAGE });
    for (const fact of page) {
      if (topic !== null && fact.topic !== topic) continue;
      const { head, versions, seals } = await store.chain(fact);
      yield { uri: fact.uri, versions, seals, verdict: replayChain(versions, head) };
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.uri ?? null;
  }
}

function granted(principal: Principal, subject: Subject): ReadonlySet<string> {
  const holds = principal.subjects === '*' || principal.subjects.has(subject);
  return new Set(holds ? [subject] : []);
}
