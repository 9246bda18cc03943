import { epochMs, type FactVersion, type Instant, instant, type RequestKey } from '@unsay/live-resources';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import { utf8 } from '../utf8.ts';
import { bytesOf, type Cell, numberOf, textOf } from './cells.ts';
import type { SqliteDatabase } from './database.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS, sealCells, sealedOf } from './seal-cells.ts';
import { refusal } from './sqlite-errors.ts';

/** A request that was answered, as it is stored. */
export interface StoredAnswer {
  readonly requestHash: string;
  readonly subject: string;
  /** Stands for the topic. */
  readonly index: Uint8Array;
  readonly version: number;
}

/** The requests that were answered with a version. Callers give the transaction. */
export interface AnsweredRequests {
  find(id: string): StoredAnswer | null;
  /** Remembers one, and forgets a few whose time was over at a moment. */
  remember(request: RequestKey, version: FactVersion, index: Uint8Array, at: Instant): void;
}

// More than one, so that the table shrinks; few, so that no write pays for a long silence.
const FORGOTTEN_AT_ONCE = 16;

/**
 * The answered requests on a database. Neither a sender's key nor a short body can be guessed from it: the id
 * stands there by its index, and the hash of the body is sealed.
 */
export function createAnsweredRequests(db: SqliteDatabase, key: RecordKey): AnsweredRequests {
  const known = db.prepare('SELECT * FROM answered_requests WHERE id_index = :id_index');
  const insert = db.prepare(`
    INSERT INTO answered_requests (id_index, subject, topic_index, version, expires_at, ${SEAL_COLUMNS})
    VALUES (:id_index, :subject, :topic_index, :version, :expires_at, ${SEAL_PARAMETERS})`);
  const forget = db.prepare(`
    DELETE FROM answered_requests WHERE id_index IN
      (SELECT id_index FROM answered_requests WHERE expires_at < :now ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`);
  const indexOf = (id: string): Uint8Array => key.index('request', id);
  return {
    find(id) {
      const row = known.get({ id_index: indexOf(id) });
      if (row === undefined) return null;
      const requestHash = key.open(placeOf(row), sealedOf(row));
      if (requestHash === null) throw refusal('damaged', db.file);
      return {
        requestHash: textOf(requestHash),
        subject: textOf(row.subject),
        index: bytesOf(row.topic_index),
        version: numberOf(row.version),
      };
    },
    remember({ id, requestHash, expiresAt }, { subject, version }, index, at) {
      const now = instant(Math.min(epochMs(at), epochMs(expiresAt)));
      forget.run({ now });
      const row = { id_index: indexOf(id), subject, topic_index: index, version, expires_at: expiresAt };
      insert.run({ ...row, ...sealCells(key.seal(placeOf(row), utf8(requestHash))) });
    },
  };
}

function placeOf(cells: Readonly<Record<string, Cell>>): Place {
  return [
    'answered_requests',
    bytesOf(cells.id_index),
    textOf(cells.subject),
    bytesOf(cells.topic_index),
    textOf(cells.version),
    textOf(cells.expires_at),
  ];
}
