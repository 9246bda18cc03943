import type { Clock } from '@unsay/live-resources';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Tables } from './tables.ts';

/** Ids that may be used once. */
export interface OneTimeIds {
  /** Uses it up; false when it was used before. It is remembered past `expiresAt` (epoch seconds), through any crash. */
  use(id: string, expiresAt: number): Promise<boolean>;
}

// A clock may be set back; an id must not be new again with it.
const REMEMBERED_SECONDS = 24 * 60 * 60;
const FORGOTTEN_AT_ONCE = 16;

/** The ids that were used, kept in a database. */
export function createOneTimeIds(db: Tables, keys: KeyRing, clock: Clock): OneTimeIds {
  const insert = `
    INSERT INTO one_time_ids (id_index, expires_at) VALUES (:id_index, :expires_at)
    ON CONFLICT (id_index) DO NOTHING`;
  const forget = `
    DELETE FROM one_time_ids WHERE id_index IN
      (SELECT id_index FROM one_time_ids WHERE expires_at < :before ORDER BY expires_at
       LIMIT ${FORGOTTEN_AT_ONCE})`;
  return {
    async use(id, expiresAt) {
      const row = { id_index: keys.store.index('one-time-id', id), expires_at: Math.ceil(expiresAt) };
      const before = Math.floor(clock.now() / 1000) - REMEMBERED_SECONDS;
      const [, inserted] = await db.run({ sql: forget, cells: { before } }, { sql: insert, cells: row });
      return inserted === 1;
    },
  };
}
