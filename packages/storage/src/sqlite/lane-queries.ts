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
import { bytesOf, numberOf, textOf } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';
import { AUDIENCES, filterCells, SUBJECTS } from './lane-filter.ts';
import { refusal } from './sqlite-errors.ts';
import { versionOf } from './version-rows.ts';

/** Reads of lanes. */
export interface LaneQueries {
  head(lane: Lane): LaneHead | null;
  lanes(filter: LaneFilter): (Lane & LaneHead)[];
  corrections(key: RecordKey, query: CorrectionQuery): StoredCorrection[];
}

/** The lanes' reads on a database. */
export function createLaneQueries(db: SqliteDatabase): LaneQueries {
  const head = db.prepare('SELECT * FROM lanes WHERE subject = :subject AND audience = :audience');
  const selected = db.prepare(`
    SELECT * FROM lanes
    WHERE (:subjects IS NULL OR subject IN ${SUBJECTS}) AND audience IN ${AUDIENCES}
    ORDER BY subject, audience`);
  return {
    head({ subject, audience }) {
      const row = head.get({ subject, audience });
      return row === undefined ? null : laneOf(row);
    },
    lanes: (filter) => selected.all(filterCells(filter)).map(laneOf),
    corrections: correctionsOn(db),
  };
}

// A correction is a version with one before it, so a first version is none.
function correctionsOn(db: SqliteDatabase): LaneQueries['corrections'] {
  const firstSince = db.prepare(`
    SELECT lane_ordinal FROM versions
    WHERE subject = :subject AND audience = :audience AND written_at >= :since
    ORDER BY written_at, lane_ordinal LIMIT 1`);
  const page = db.prepare(`
    SELECT v.* FROM versions v
    WHERE subject = :subject AND audience = :audience AND lane_ordinal > :after
      AND written_at >= :since
      AND EXISTS (
        SELECT 1 FROM versions p
        WHERE p.subject = v.subject AND p.topic_index = v.topic_index AND p.version = v.version - 1)
    ORDER BY lane_ordinal LIMIT :limit`);
  const numbered = db.prepare(
    'SELECT * FROM versions WHERE subject = :subject AND topic_index = :index AND version = :version',
  );

  return (key, { lane: { subject, audience }, afterOrdinal, since, limit }) => {
    let after = afterOrdinal;
    if (since !== null) {
      // Time never goes backwards in a lane: a jump to the first entry of that time skips no other, and a
      // long lane is not walked from its beginning.
      const first = firstSince.get({ subject, audience, since });
      if (first === undefined) return [];
      after = Math.max(after, numberOf(first.lane_ordinal) - 1);
    }
    const rows = page.all({ subject, audience, after, since: since ?? '', limit });
    return rows.flatMap((row) => {
      const index = bytesOf(row.topic_index);
      const before = numbered.get({ subject, index, version: numberOf(row.version) - 1 });
      if (before === undefined) return [];
      const [version, previous] = [versionOf(key, row), versionOf(key, before)];
      // Whoever is given what follows will not ask for this one again.
      if (version === null || previous === null) throw refusal('damaged', db.file);
      return [{ position: numberOf(row.position) as Position, version, previous }];
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
