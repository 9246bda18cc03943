import { parseFactUri } from './fact-uri.ts';
import { versionHash } from './tuple.ts';
import type { FactVersion } from './version.ts';

/** What replaying a chain found. `brokenAt` is the first version that disagrees. */
export type ChainVerdict = { readonly intact: true } | { readonly intact: false; readonly brokenAt: number };

/** What the store says of the newest version of a fact, kept apart from the versions themselves. */
export interface ChainHead {
  readonly version: number;
  readonly versionHash: string;
}

/** A chain that is being replayed, one version after the other. */
export interface ChainReplay {
  /** The next version. After the first that disagrees there is nothing more to find. */
  next(version: FactVersion): void;
  /** What was found, after the last version; null for a head that is not known. */
  verdict(head: ChainHead | null): ChainVerdict;
}

/**
 * Begins to replay a chain. It keeps one version, so a chain of any length can be replayed while it is read.
 *
 * @param expected the head as it is known before the first version. It may grow while the chain is read, so
 *   `verdict` is given the head that was read with the last one.
 */
export function startReplay(expected: ChainHead | null): ChainReplay {
  let previous: FactVersion | null = null;
  let count = 0;
  let brokenAt: number | null = null;
  let expectedFound = false;
  return {
    next(version) {
      count += 1;
      if (brokenAt !== null) return;
      if (version.version !== count || !follows(previous, version)) brokenAt = count;
      if (count === expected?.version) expectedFound = version.versionHash === expected.versionHash;
      previous = version;
    },
    verdict(head) {
      if (brokenAt !== null) return { intact: false, brokenAt };
      if (head === null || (count === head.version && previous?.versionHash === head.versionHash))
        return { intact: true };
      const isFollowed = head.version === expected?.version && expectedFound;
      return { intact: false, brokenAt: brokenBy(head, count, isFollowed) };
    },
  };
}

/**
 * Replays one fact's versions, oldest first: numbers without a gap, each linked to the one before, one
 * audience and URI throughout, the URI that of the fact they are filed under, lane order and time never
 * backwards, each hash that of its content.
 *
 * `head` catches what the versions alone cannot show, a tail that was cut off: the chain must end in it.
 * With null, for a head that is not known, a shorter chain passes.
 */
export function replayChain(versions: Iterable<FactVersion>, head: ChainHead | null): ChainVerdict {
  const replay = startReplay(head);
  for (const version of versions) replay.next(version);
  return replay.verdict(head);
}

/** The first version that is not as the head says: one too few, another hash, or one too many. */
function brokenBy(head: ChainHead, count: number, isFollowed: boolean): number {
  if (count < head.version) return count + 1;
  return isFollowed ? head.version + 1 : head.version;
}

function follows(previous: FactVersion | null, version: FactVersion): boolean {
  const linked =
    previous === null
      ? version.prevHash === null && version.kind === 'create'
      : version.prevHash === previous.versionHash &&
        version.kind !== 'create' &&
        version.audience === previous.audience &&
        version.uri === previous.uri &&
        version.laneOrdinal > previous.laneOrdinal &&
        version.writtenAt >= previous.writtenAt;
  if (!linked || !isFiledByUri(version) || (version.kind === 'withdraw') !== (version.value === null))
    return false;
  try {
    return versionHash(version) === version.versionHash;
  } catch {
    // A record too damaged to hash (a salt of another length, a lone surrogate) is a broken one.
    return false;
  }
}

// Subject and topic are hashed only as parts of the URI.
function isFiledByUri({ uri, subject, topic }: FactVersion): boolean {
  const named = parseFactUri(uri);
  return named !== null && named.uri === uri && named.subject === subject && named.topic === topic;
}
