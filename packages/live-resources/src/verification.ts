import { type ChainReplay, type ChainVerdict, startReplay } from './chain.ts';
import type { FactUri, Subject, Topic } from './fact-uri.ts';
import type { Lane, Partition } from './partition.ts';
import { mayRead, type Principal } from './principal.ts';
import { readableLanes } from './readable-lanes.ts';
import type { FactName, FactStore, Seal, StoredChain } from './store.ts';
import type { FactVersion } from './version.ts';

/** What replaying shows of a version: none of its words. */
export interface VerifiedVersion
  extends Lane,
    Pick<FactVersion, 'version' | 'kind' | 'laneOrdinal' | 'writtenAt' | 'prevHash' | 'versionHash'> {
  /** Whether its author signed it. The signature itself is not checked here. */
  readonly attested: boolean;
  /** How it is sealed; null where it is not. */
  readonly seal: Seal | null;
}

/** A part of one fact's chain, as it was replayed. A long chain comes in several, one after the other. */
export interface VerifiedPart {
  /** The bare URI of the fact. */
  readonly uri: FactUri;
  /** Oldest first, as they are stored: where the chain is broken they may say anything. */
  readonly versions: readonly VerifiedVersion[];
  /** What was found, with the last part; null before. */
  readonly verdict: ChainVerdict | null;
}

/** Which chains to replay; null for all. One that is not there, or not granted, has none. */
export interface VerificationQuery {
  readonly subject: Subject | null;
  readonly topic: Topic | null;
}

// What is in memory at once, however many facts there are and however long their chains.
const FACTS_AT_ONCE = 100;
const VERSIONS_AT_ONCE = 256;

/**
 * Replays every chain that the principal may read, in the order of URIs. The right to each fact, and to each
 * version of it, is asked again of what the store answers.
 */
export async function* verifyChains(
  partition: Partition,
  store: FactStore,
  principal: Principal,
  { subject, topic }: VerificationQuery,
): AsyncGenerator<VerifiedPart> {
  const lanes = readableLanes(partition, principal, subject);
  const isAsked = (fact: FactName): boolean =>
    (subject === null || fact.subject === subject) && (topic === null || fact.topic === topic);
  let after: FactUri | null = null;
  for (;;) {
    const page: readonly FactName[] = await store.names({ ...lanes, after, limit: FACTS_AT_ONCE });
    for (const fact of page) {
      if (!isAsked(fact) || !mayRead(partition, principal, fact)) continue;
      yield* replayed(store, fact, (version) => mayRead(partition, principal, version));
    }
    if (page.length < FACTS_AT_ONCE) return;
    after = page.at(-1)?.uri ?? null;
  }
}

// A version that may not be read has no place in a chain that may: it is left out, and the chain is broken.
async function* replayed(
  store: FactStore,
  fact: FactName,
  isReadable: (version: FactVersion) => boolean,
): AsyncGenerator<VerifiedPart> {
  const { uri } = fact;
  let replay: ChainReplay | null = null;
  let foreignAt: number | null = null;
  for (let count = 0, after = 0; ; ) {
    const { head, versions, seals }: StoredChain = await store.chain(fact, {
      after,
      limit: VERSIONS_AT_ONCE,
    });
    replay ??= startReplay(head);
    const shown: VerifiedVersion[] = [];
    for (const [index, version] of versions.entries()) {
      count += 1;
      replay.next(version);
      if (isReadable(version)) shown.push(verified(version, seals[index] ?? null));
      else foreignAt ??= count;
    }
    const last = versions.at(-1)?.version ?? after;
    // A store that gives no further version, or the same ones again, has given all.
    const isLast = versions.length < VERSIONS_AT_ONCE || !(last > after);
    const verdict = isLast ? replay.verdict(head) : null;
    yield { uri, versions: shown, verdict: verdict && withForeign(verdict, foreignAt) };
    if (isLast) return;
    after = last;
  }
}

function withForeign(verdict: ChainVerdict, foreignAt: number | null): ChainVerdict {
  if (foreignAt === null) return verdict;
  return { intact: false, brokenAt: verdict.intact ? foreignAt : Math.min(foreignAt, verdict.brokenAt) };
}

function verified(version: FactVersion, seal: Seal | null): VerifiedVersion {
  const { subject, audience, kind, laneOrdinal, writtenAt, prevHash, versionHash, attestation } = version;
  const attested = attestation !== null;
  const shown = { subject, audience, version: version.version, kind, laneOrdinal, writtenAt, attested };
  return { ...shown, prevHash, versionHash, seal };
}
