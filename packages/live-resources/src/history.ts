import type { CursorCodec } from './cursor.ts';
import { announcementOf, mayHear } from './delivery.ts';
import { parseFactUri, versionUri } from './fact-uri.ts';
import { isNamed, type NamedEntry, type Position } from './journal.ts';
import { type Lane, laneKey, type Partition, ruleOfScheme } from './partition.ts';
import { mayRead, type Principal } from './principal.ts';
import { lanesReadBy, MOST_LANES } from './readable-lanes.ts';
import type { FactStore, LaneHead } from './store.ts';

/** What a reader missed. */
export type Missed =
  | {
      readonly kind: 'missed';
      /** In the order in which they were written. */
      readonly entries: readonly NamedEntry[];
      /** Everything up to here was considered. For the server's own use: it tells of what the reader may not see. */
      readonly through: Position;
    }
  /**
   * Nobody can say what it missed: more than the limit, more than is looked through for one reader, or the token
   * names no place that the reader can know of.
   */
  | { readonly kind: 'unknown'; readonly through: Position };

/**
 * What happened since a moment that a reader names. A reader holds either a mark, which says how much of each of
 * its lanes it had seen, or the name of the last entry that it was told of. Both are opaque and authenticated, and
 * neither says anything of a lane that its holder could not see.
 */
export interface History {
  /** Marks this moment for one reader; null when it reads more lanes than a mark can hold. */
  mark(principal: Principal): Promise<string | null>;
  /**
   * Names an entry: the same for everyone who is told of it, and a place for whoever may hear of it. It is opaque so
   * that nobody can make one up.
   */
  nameOf(entry: Pick<NamedEntry, 'uri' | 'version'>): string;
  /**
   * What was announced after a mark or a name, of what the principal may hear of now and `wanted` holds for.
   *
   * A lane that a mark does not name is given from its beginning: it was made since, or may be read since.
   *
   * @param limit the most entries; with more the outcome is `unknown`.
   */
  since(
    principal: Principal,
    token: string,
    wanted: (entry: NamedEntry) => boolean,
    limit: number,
  ): Promise<Missed>;
}

const MARK = 'mark';
const ENTRY = 'entry';
// Whoever may hear of an entry is given its name; using it takes the right to its lane, not to the name.
const EVERYONE = { sub: '', clientId: '' };
const PAGE = 256;
// A reader may want one fact in a thousand. It is not to have the server walk a year of the others for it.
const MOST_CONSIDERED = 16_384;
// After an outage many come back at once and are told of the same entries. A few hundred bytes each.
const MOST_NAMES = 16_384;

/** The history of the facts in a store. */
export function createHistory(partition: Partition, store: FactStore, cursors: CursorCodec): History {
  /** How much of each lane a token says was seen; null when it says nothing to this reader. */
  async function seenBy(
    principal: Principal,
    token: string,
  ): Promise<((lane: Lane & LaneHead) => Promise<number>) | null> {
    const mark = cursors.open(MARK, principal, token);
    if (mark !== null) {
      const ordinals = new Map(JSON.parse(mark) as [string, number][]);
      return async (lane) => ordinals.get(laneKey(lane)) ?? 0;
    }
    const position = await positionNamed(principal, cursors.open(ENTRY, EVERYONE, token));
    return position === null ? null : (lane) => ordinalAt(store, lane, position);
  }

  async function positionNamed(principal: Principal, name: string | null): Promise<Position | null> {
    const fact = name === null ? null : parseFactUri(name);
    const rule = fact && ruleOfScheme(partition, fact.scheme);
    if (
      !fact ||
      !rule ||
      !mayRead(partition, principal, { subject: fact.subject, audience: rule.audience })
    ) {
      return null;
    }
    const version = await store.version(fact, fact.version);
    return version?.audience === rule.audience ? store.positionOf(version, version.laneOrdinal) : null;
  }

  const names = new Map<string, string>();

  function nameOf({ uri, version }: Pick<NamedEntry, 'uri' | 'version'>): string {
    const entry = versionUri(uri, version);
    const known = names.get(entry);
    if (known !== undefined) return known;
    const name = cursors.seal(ENTRY, EVERYONE, entry);
    if (names.size >= MOST_NAMES) names.clear();
    names.set(entry, name);
    return name;
  }

  return {
    async mark(principal) {
      const lanes = await lanesReadBy(partition, store, principal);
      if (lanes.length > MOST_LANES) return null;
      const ordinals = lanes.map((lane) => [laneKey(lane), lane.ordinal] as const);
      ordinals.sort(([a], [b]) => (a < b ? -1 : 1));
      return cursors.seal(MARK, principal, JSON.stringify(ordinals));
    },
    nameOf,
    async since(principal, token, wanted, limit) {
      // Whoever has seen this position sees every lower one that will ever be.
      const through = await store.journalHead();
      const seen = await seenBy(principal, token);
      if (seen === null) return { kind: 'unknown', through };
      const entries: NamedEntry[] = [];
      let considered = 0;
      for (const lane of await lanesReadBy(partition, store, principal)) {
        let after = await seen(lane);
        while (after < lane.ordinal) {
          const page = await store.laneEntries(lane, after, PAGE);
          if (page.length === 0) break;
          after += page.length;
          considered += page.length;
          for (const entry of page) {
            if (entry.position > through || announcementOf(entry) === null) continue;
            if (!isNamed(entry) || !wanted(entry)) continue;
            if (mayHear(partition, principal, entry)) entries.push(entry);
          }
          if (entries.length > limit || considered > MOST_CONSIDERED) return { kind: 'unknown', through };
        }
      }
      entries.sort((a, b) => a.position - b.position);
      return { kind: 'missed', entries, through };
    },
  };
}

/** How many entries of a lane stand at or before a position. Positions grow with the ordinals of a lane. */
async function ordinalAt(store: FactStore, lane: Lane & LaneHead, position: Position): Promise<number> {
  let [low, high] = [0, lane.ordinal];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const found = await store.positionOf(lane, middle);
    if (found !== null && found <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
