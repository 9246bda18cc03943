import { BEGINNING, type JournalEntry, type Lane, type Position } from '@unsay/live-resources';
import { bytesOf, numberOf, type Row, textOf } from '../rows/cells.ts';
import type { Tables } from './tables.ts';

/** An entry as it is stored: the fact's name is sealed, its index stands for it. */
export interface StoredEntry extends Omit<JournalEntry, 'uri'> {
  readonly index: Uint8Array;
}

/** Reads of the journal. */
export interface JournalQueries {
  /** Entries after a position, in order. */
  after(position: Position, limit: number): Promise<StoredEntry[]>;
  /** The newest position, or the beginning. */
  head(): Promise<Position>;
  /** Where the entry of an ordinal of a lane stands, or null when the lane has none such. */
  positionOf(lane: Lane, ordinal: number): Promise<Position | null>;
  /** Entries of one lane after an ordinal, in order. */
  ofLane(lane: Lane, afterOrdinal: number, limit: number): Promise<StoredEntry[]>;
}

const PAGE = 'SELECT * FROM journal WHERE position > :after ORDER BY position LIMIT :limit';
const LAST = 'SELECT max(position) AS position FROM journal';
const POSITION_IN = `
  SELECT position FROM versions
  WHERE subject = :subject AND audience = :audience AND lane_ordinal = :ordinal`;
const OF_LANE = `
  SELECT j.position, j.topic_index, j.version, j.kind, j.written_at, j.quiet
  FROM versions v JOIN journal j ON j.position = v.position
  WHERE v.subject = :subject AND v.audience = :audience AND v.lane_ordinal > :after
  ORDER BY v.lane_ordinal LIMIT :limit`;

/**
 * The journal's reads on a store. The journal has no key by lane: a lane is found in `versions`, which has, so that
 * its entries cost the same whatever others hold.
 */
export function createJournalQueries(db: Tables): JournalQueries {
  return {
    async positionOf({ subject, audience }, ordinal) {
      const [row] = await db.select(POSITION_IN, { subject, audience, ordinal });
      return row === undefined ? null : (numberOf(row.position) as Position);
    },
    ofLane: async ({ subject, audience }, after, limit) =>
      (await db.select(OF_LANE, { subject, audience, after, limit })).map((row) =>
        entryOf(row, { subject, audience }),
      ),
    after: async (after, limit) =>
      (await db.select(PAGE, { after, limit })).map((row) => entryOf(row, laneOf(row))),
    async head() {
      const [row] = await db.select(LAST);
      return Number(row?.position ?? BEGINNING) as Position;
    },
  };
}

function laneOf(row: Row): Lane {
  return {
    subject: textOf(row.subject) as JournalEntry['subject'],
    audience: textOf(row.audience) as JournalEntry['audience'],
  };
}

function entryOf(row: Row, { subject, audience }: Lane): StoredEntry {
  return {
    position: numberOf(row.position) as Position,
    subject,
    index: bytesOf(row.topic_index),
    audience,
    version: numberOf(row.version),
    kind: textOf(row.kind) as JournalEntry['kind'],
    writtenAt: textOf(row.written_at) as JournalEntry['writtenAt'],
    quiet: numberOf(row.quiet) !== 0,
  };
}
