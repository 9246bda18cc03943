import { epochMs, type Instant, instant, type Nonce } from '@unsay/live-resources';
import { textOf, textOrNull } from '../rows/cells.ts';
import { utf8 } from '../utf8.ts';
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
  const latest = db.prepare(`
    SELECT max(expires_at) AS ended FROM
      (SELECT expires_at FROM nonces WHERE expires_at < :before ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`);
  const first = db.prepare('SELECT min(expires_at) AS expires_at FROM nonces');
  const forgotten = db.prepare("SELECT value FROM meta WHERE key = 'nonces_forgotten_until'");
  const remember = db.prepare(`
    INSERT INTO meta (key, value) VALUES ('nonces_forgotten_until', :value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  // What was forgotten cannot be told from what never came, so all of that time counts as used: a clock that
  // was wrong by days and set right must not make an old signature good again.
  const forgottenUntil = db.keep(() => textOf(forgotten.get()?.value));
  const oldest = db.keep(() => textOrNull(first.get()?.expires_at));

  function forgetSome(before: Instant): void {
    const ended = textOf(latest.get({ before })?.ended);
    if (ended > forgottenUntil.get()) {
      remember.run({ value: utf8(ended) });
      forgottenUntil.set(ended);
    }
    forget.run({ before });
    oldest.set(textOrNull(first.get()?.expires_at));
  }

  return {
    used: ({ id, expiresAt }) => known.get({ id }) !== undefined || expiresAt <= forgottenUntil.get(),
    use({ id, expiresAt }, at) {
      // A lane's time can run ahead of the clock for long, after one write by a clock that was wrong. A
      // signature that was just accepted bounds it: forgetting by the lane's time alone would forget
      // signatures that are still good.
      const now = Math.min(epochMs(at), epochMs(expiresAt));
      const before = instant(now - REMEMBERED_MS);
      if (isBefore(oldest.get(), before)) forgetSome(before);
      insert.run({ id, expires_at: expiresAt });
      if (!isBefore(oldest.get(), expiresAt)) oldest.set(expiresAt);
    },
  };
}

function isBefore(at: string | null, other: string): boolean {
  return at !== null && at < other;
}
