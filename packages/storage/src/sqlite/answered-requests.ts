import {
  type AnsweredRequest,
  epochMs,
  type FactVersion,
  type Instant,
  instant,
  type RequestKey,
} from '@unsay/live-resources';
import { numberOf, textOf } from './cells.ts';
import type { SqliteDatabase } from './database.ts';

/** The requests that were answered with a version. Callers give the transaction. */
export interface AnsweredRequests {
  find(id: string): AnsweredRequest | null;
  /** Remembers one, and forgets a few whose time was over at a moment. */
  remember(request: RequestKey, version: FactVersion, at: Instant): void;
}

// More than one, so that the table shrinks; few, so that no write pays for a long silence.
const FORGOTTEN_AT_ONCE = 16;

/** The answered requests on a database. */
export function createAnsweredRequests(db: SqliteDatabase): AnsweredRequests {
  const known = db.prepare(
    'SELECT request_hash, subject, topic, version FROM answered_requests WHERE id = :id',
  );
  const insert = db.prepare(`
    INSERT INTO answered_requests (id, request_hash, subject, topic, version, expires_at)
    VALUES (:id, :request_hash, :subject, :topic, :version, :expires_at)`);
  const forget = db.prepare(`
    DELETE FROM answered_requests WHERE id IN
      (SELECT id FROM answered_requests WHERE expires_at < :now ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`);
  return {
    find(id) {
      const row = known.get({ id });
      if (row === undefined) return null;
      const fact = {
        subject: textOf(row.subject) as FactVersion['subject'],
        topic: textOf(row.topic) as FactVersion['topic'],
      };
      return { requestHash: textOf(row.request_hash), fact, version: numberOf(row.version) };
    },
    remember({ id, requestHash, expiresAt }, { subject, topic, version }, at) {
      const now = instant(Math.min(epochMs(at), epochMs(expiresAt)));
      forget.run({ now });
      insert.run({ id, request_hash: requestHash, subject, topic, version, expires_at: expiresAt });
    },
  };
}
