import type {
  CorrectionQuery,
  Instant,
  Lane,
  LaneFilter,
  LaneHead,
  Position,
  StoredCorrection,
} from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import { numberOf, type Row, textOf } from '../rows/cells.ts';
import { versionOf } from '../rows/version-rows.ts';
import { filterCells, inLanes } from './lane-filter.ts';
import type { Tables } from './tables.ts';

/** Reads of lanes. */
export interface LaneQueries {
  head(lane: Lane): Promise<LaneHead | null>;
  lanes(filter: LaneFilter): Promise<(Lane & LaneHead)[]>;
  corrections(key: RecordKey, query: CorrectionQuery): Promise<StoredCorrection[]>;
}

/** The lanes' reads on a store. */
export function createLaneQueries(db: Tables): LaneQueries {
  const head = 'SELECT * FROM lanes WHERE subject = :subject AND audience = :audience';
  const selected = `SELECT * FROM lanes WHERE ${inLanes(db)} ORDER BY subject, audience`;
  return {
    async head({ subject, audience }) {
      const [row] = await db.select(head, { subject, audience });
      return row === undefined ? null : laneOf(row);
    },
    lanes: async (filter) => (await db.select(selected, filterCells(filter))).map(laneOf),
    corrections: correctionsOn(db),
  };
}

const FIRST_SINCE = `
  SELECT lane_ordinal FROM versions
  WHERE subject = :subject AND audience = :audience AND written_at >= :since
  ORDER BY written_at, lane_ordinal LIMIT 1`;

// A correction is a version with one before it, so a first version is none.
const pageOf = (which: 'v' | 'p'): string => `
  SELECT ${which}.* FROM versions v
    JOIN versions p ON p.subject = v.subject AND p.topic_index = v.topic_index AND p.version = v.version - 1
  WHERE v.subject = :subject AND v.audience = :audience AND v.lane_ordinal > :after
    AND v.written_at >= :since AND v.lane_ordinal <= :through
  ORDER BY v.lane_ordinal LIMIT :limit`;

// More than any lane has.
const NO_END = 2 ** 31 - 1;

function correctionsOn(db: Tables): LaneQueries['corrections'] {
  return async (key, { lane: { subject, audience }, afterOrdinal, since, limit }) => {
    let after = afterOrdinal;
    if (since !== null) {
      // Time never goes backwards in a lane: a jump to the first entry of that time skips no other, and a
      // long lane is not walked from its beginning.
      const [first] = await db.select(FIRST_SINCE, { subject, audience, since });
      if (first === undefined) return [];
      after = Math.max(after, numberOf(first.lane_ordinal) - 1);
    }
    const cells = { subject, audience, after, since: since ?? '', limit };
    const rows = await db.select(pageOf('v'), { ...cells, through: NO_END });
    // What was written meanwhile is not among the ones before either.
    const through = numberOf(rows.at(-1)?.lane_ordinal ?? after);
    const before = await db.select(pageOf('p'), { ...cells, through });
    return rows.map((row, index) => {
      const [version, previous] = [versionOf(key, row), versionOf(key, before[index] ?? {})];
      // Whoever is given what follows will not ask for this one again.
      if (version === null || previous === null) throw db.damaged();
      return { position: numberOf(row.position) as Position, version, previous };
    });
  };
}

function laneOf(row: Row): Lane & LaneHead {
  return {
    subject: textOf(row.subject) as Lane['subject'],
    audience: textOf(row.audience) as Lane['audience'],
    ordinal: numberOf(row.ordinal),
    writtenAt: textOf(row.written_at) as Instant,
  };
}
