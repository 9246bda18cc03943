import type { Instant } from './clock.ts';
import type { CursorCodec } from './cursor.ts';
import { type Lane, laneKey, type Partition } from './partition.ts';
import type { Principal } from './principal.ts';
import { lanesReadBy, MOST_LANES } from './readable-lanes.ts';
import type { FactStore, LaneHead, StoredCorrection } from './store.ts';
import type { FactVersion } from './version.ts';
import { createWithdrawals, withoutWords } from './withdrawal.ts';

/** Which corrections a reader asks for. */
export interface ChangesQuery {
  /**
   * Only this subject, or null for every subject the principal was granted. One that is malformed, unknown
   * or not granted has no corrections.
   */
  readonly subject: string | null;
  /** Not before this time. */
  readonly since: Instant | null;
  /** The cursor of an earlier answer. */
  readonly after: string | null;
}

/** Corrections, oldest first, and where the reader stands now. */
export type ChangesOutcome =
  | { readonly kind: 'changes'; readonly changes: readonly Correction[]; readonly cursor: string }
  | { readonly kind: 'bad_cursor' }
  /** More lanes than one cursor can hold: ask for one subject at a time, each with a cursor of its own. */
  | { readonly kind: 'too_many_lanes' };

/** A version that took another's place. */
export interface Correction {
  readonly version: FactVersion;
  readonly previous: FactVersion;
}

const PURPOSE = 'changes';
const MOST = 200;
// UTF-16 code units of old and new words. An answer spells them several times, and two hundred long ones would
// take hundreds of megabytes and hold up everybody else.
const MOST_WORDS = 512 * 1024;

/**
 * Every correction after a cursor or a time that the principal may see now, at most 200 at once and fewer when
 * they are long; the cursor that comes with them continues, and continues without loss. An answer without changes
 * says that there are no more.
 *
 * A cursor holds the ordinals of lanes, and each lane is authorized again: one that the principal may no
 * longer read gives nothing, whatever the store answers.
 */
export async function changesSince(
  partition: Partition,
  store: FactStore,
  cursors: CursorCodec,
  principal: Principal,
  query: ChangesQuery,
): Promise<ChangesOutcome> {
  const seen = query.after === null ? new Map<string, number>() : openCursor(cursors, principal, query.after);
  if (seen === null) return { kind: 'bad_cursor' };
  const lanes = await lanesReadBy(partition, store, principal, query.subject);
  if (new Set([...seen.keys(), ...lanes.map(laneKey)]).size > MOST_LANES) return { kind: 'too_many_lanes' };
  for (;;) {
    const found = await Promise.all(
      lanes.map((lane) => correctionsOf(store, lane, seen.get(laneKey(lane)) ?? 0, query.since)),
    );
    const merged = found.flat().sort((a, b) => a.position - b.position);
    const given = withinLimits(merged);
    for (const lane of lanes) advance(seen, lane, given, merged);
    const changes = await readable(store, given);
    // All that was cut off here may have been withdrawn since. An answer without changes says that there are none.
    if (changes.length === 0 && given.length < merged.length) continue;
    return { kind: 'changes', changes, cursor: sealCursor(cursors, principal, seen) };
  }
}

// At least one, or a reader would never get past one that is too long.
function withinLimits(merged: readonly StoredCorrection[]): readonly StoredCorrection[] {
  let left = MOST_WORDS;
  const tooMuch = merged.findIndex(({ version, previous }) => {
    left -= (version.value ?? '').length + (previous.value ?? '').length;
    return left < 0;
  });
  return merged.slice(0, tooMuch === -1 ? MOST : Math.min(MOST, Math.max(1, tooMuch)));
}

// Without their positions, which never leave the server, and without what was withdrawn since.
async function readable(store: FactStore, given: readonly StoredCorrection[]): Promise<Correction[]> {
  const withdrawnThrough = createWithdrawals(store);
  const corrections: Correction[] = [];
  for (const { version, previous } of given) {
    const withdrawn = await withdrawnThrough(version);
    if (version.version < withdrawn) continue;
    corrections.push({ version, previous: previous.version < withdrawn ? withoutWords(previous) : previous });
  }
  return corrections;
}

async function correctionsOf(
  store: FactStore,
  lane: Lane,
  afterOrdinal: number,
  since: Instant | null,
): Promise<readonly StoredCorrection[]> {
  const found = await store.corrections({ lane, afterOrdinal, since, limit: MOST + 1 });
  // It is the lane that was authorized, so nothing of another one may come with it.
  return found.filter(({ version, previous }) =>
    [version, previous].every((each) => laneKey(each) === laneKey(lane)),
  );
}

// A lane whose corrections were all given is seen to its head; one cut by the limit, to the last given, or
// to just before the first that was not.
function advance(
  seen: Map<string, number>,
  lane: Lane & LaneHead,
  given: readonly StoredCorrection[],
  merged: readonly StoredCorrection[],
): void {
  const ordinals = (all: readonly StoredCorrection[]): number[] =>
    all
      .filter(({ version }) => version.subject === lane.subject && version.audience === lane.audience)
      .map(({ version }) => version.laneOrdinal);
  const mine = ordinals(given);
  const all = ordinals(merged);
  const reached =
    mine.length === all.length ? Math.max(lane.ordinal, ...mine) : (mine.at(-1) ?? (all[0] ?? 1) - 1);
  seen.set(laneKey(lane), reached);
}

function sealCursor(cursors: CursorCodec, principal: Principal, seen: ReadonlyMap<string, number>): string {
  const lanes = [...seen].sort(([a], [b]) => (a < b ? -1 : 1));
  return cursors.seal(PURPOSE, principal, JSON.stringify(lanes));
}

function openCursor(cursors: CursorCodec, principal: Principal, token: string): Map<string, number> | null {
  const content = cursors.open(PURPOSE, principal, token);
  return content === null ? null : new Map(JSON.parse(content) as [string, number][]);
}
