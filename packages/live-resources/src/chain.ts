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

/**
 * Replays one fact's versions, oldest first: numbers without a gap, each linked to the one before, one
 * audience and URI throughout, the URI that of the fact they are filed under, lane order and time never
 * backwards, each hash that of its content.
 *
 * `head` catches what the versions alone cannot show, a tail that was cut off: the chain must end in it.
 * With null, for a head that is not known, a shorter chain passes.
 */
export function replayChain(versions: readonly FactVersion[], head: ChainHead | null): ChainVerdict {
  let previous: FactVersion | null = null;
  for (const [index, version] of versions.entries()) {
    if (version.version !== index + 1 || !follows(previous, version))
      return { intact: false, brokenAt: index + 1 };
    previous = version;
  }
  const brokenAt = head === null ? null : missesHead(versions, head);
  return brokenAt === null ? { intact: true } : { intact: false, brokenAt };
}

/** The first version that is not as the head says: another hash, one too few, or one too many. */
function missesHead(versions: readonly FactVersion[], head: ChainHead): number | null {
  if (versions.length < head.version) return versions.length + 1;
  if (versions[head.version - 1]?.versionHash !== head.versionHash) return head.version;
  return versions.length > head.version ? head.version + 1 : null;
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
