import { epochMs, type Instant, instant, type Nonce } from '@unsay/live-resources';
import type { SqliteDatabase } from './database.ts';

/** The signatures that were used up. Callers give the transaction. */
export interface Nonces {
  used(nonce: Nonce): boolean;
  /** Uses it up at a moment, and forgets a few that ended more than a day before. */
  use(nonce: Nonce, at: Instant): void;
}

const REMEMBERED_MS = 24 * 60 * 60 * 1000;
// More than one, so that the table shrinks; few, so that no write pays for a long silence.
const FORGOTTEN_AT_ONCE = 16;

/** The nonces on a database. */
export function createNonces(db: SqliteDatabase): Nonces {
  const known = db.prepare('SELECT 1 FROM nonces WHERE id = :id');
  const insert = db.prepare('INSERT INTO nonces (id, expires_at) VALUES (:id, :expires_at)');
  const forget = db.prepare(`
    DELETE FROM nonces WHERE id IN
      (SELECT id FROM nonces WHERE expires_at < :before ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`);
  return {
    used: ({ id }) => known.get({ id }) !== undefined,
    use({ id, expiresAt }, at) {
      // A lane's time can run ahead of the clock for long, after one write by a clock that was wrong. A
      // signature that was just accepted bounds it: forgetting by the lane's time alone would forget
      // signatures that are still good.
      const now = Math.min(epochMs(at), epochMs(expiresAt));
      forget.run({ before: instant(now - REMEMBERED_MS) });
      insert.run({ id, expires_at: expiresAt });
    },
  };
}
