import type { Tuple } from './records.ts';

/** A version as its chain sees it: its tuple, its hash, and, unless it was erased, its URI. */
export interface Link {
  readonly tuple: Tuple;
  readonly versionHash: string;
  /** Null for an erased version. */
  readonly uri: string | null;
}

/** What the store says of a fact's newest version. */
export interface Head {
  readonly version: number;
  readonly versionHash: string;
}

/** The verdict on a chain. `brokenAt` is the first version that disagrees, counted by its place. */
export type Verdict = { readonly intact: true } | { readonly intact: false; readonly brokenAt: number };

/** Replays one fact's versions as they come (docs/spec/chain.md, "Replaying"), without keeping them. */
export interface ChainReplay {
  /** The next version; null for one that was found invalid by itself. */
  next(link: Link | null): void;
  /** The verdict, once there are no more. */
  end(): Verdict;
}

/** A replay that must end in `head`; with null, for a head that is not known, any end will do. */
export function replayChain(head: Head | null): ChainReplay {
  let place = 0;
  let brokenAt: number | null = null;
  // Kept apart: a head is judged only where every version agrees.
  let headBrokenAt: number | null = null;
  let previous: Link | null = null;
  return {
    next(link) {
      place += 1;
      if (brokenAt !== null) return;
      if (link === null || !follows(previous, link, place)) {
        brokenAt = place;
        return;
      }
      previous = link;
      if (head === null || headBrokenAt !== null) return;
      if (place === head.version && link.versionHash !== head.versionHash) headBrokenAt = place;
      if (place > head.version) headBrokenAt = place;
    },
    end() {
      const cut = head !== null && (place < head.version || place === 0) ? place + 1 : null;
      const first = brokenAt ?? headBrokenAt ?? cut;
      return first === null ? { intact: true } : { intact: false, brokenAt: first };
    },
  };
}

function follows(previous: Link | null, { tuple, uri }: Link, place: number): boolean {
  if (tuple.version !== place || (tuple.kind === 'withdraw') !== (tuple.valueCommitment === null))
    return false;
  if (previous === null) return tuple.prevHash === null && tuple.kind === 'create';
  const before = previous.tuple;
  return (
    tuple.prevHash === previous.versionHash &&
    (tuple.kind === 'revise' || tuple.kind === 'withdraw') &&
    tuple.audience === before.audience &&
    (uri === null || previous.uri === null || uri === previous.uri) &&
    tuple.laneOrdinal > before.laneOrdinal &&
    tuple.writtenAt >= before.writtenAt
  );
}
