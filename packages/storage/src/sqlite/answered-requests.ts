import { epochMs, type FactVersion, type Instant, instant, type RequestKey } from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import { answerOf, answerRow, requestIndex, type StoredAnswer } from '../rows/answer-rows.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import type { SqliteDatabase } from './database.ts';
import { refusal } from './sqlite-errors.ts';

/** The requests that were answered with a version. Callers give the transaction. */
export interface AnsweredRequests {
  find(id: string): StoredAnswer | null;
  /** Remembers one, and forgets a few whose time was over at a moment. */
  remember(request: RequestKey, version: FactVersion, index: Uint8Array, at: Instant): void;
}

// More than one, so that the table shrinks; few, so that no write pays for a long silence.
const FORGOTTEN_AT_ONCE = 16;

/** The answered requests on a database. */
export function createAnsweredRequests(db: SqliteDatabase, key: RecordKey): AnsweredRequests {
  const known = db.prepare('SELECT * FROM answered_requests WHERE id_index = :id_index');
  const insert = db.prepare(`
    INSERT INTO answered_requests (id_index, subject, topic_index, version, expires_at, ${SEAL_COLUMNS})
    VALUES (:id_index, :subject, :topic_index, :version, :expires_at, ${SEAL_PARAMETERS})`);
  const forget = db.prepare(`
    DELETE FROM answered_requests WHERE id_index IN
      (SELECT id_index FROM answered_requests WHERE expires_at < :now ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`);
  return {
    find(id) {
      const row = known.get({ id_index: requestIndex(key, id) });
      const answer = row && answerOf(key, row);
      if (answer === null) throw refusal('damaged', db.file);
      return answer ?? null;
    },
    remember(request, version, index, at) {
      const { expiresAt } = request;
      forget.run({ now: instant(Math.min(epochMs(at), epochMs(expiresAt))) });
      insert.run(answerRow(key, request, version, index));
    },
  };
}
