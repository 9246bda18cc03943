import { utf8 } from '../utf8.ts';
import { textOf } from './cells.ts';
import type { SqliteDatabase } from './database.ts';

const KEY = 'store_id';

/** The random name of this database file, part of what every record is bound to; null before it has one. */
export function readStoreId(db: SqliteDatabase): string | null {
  const row = db.prepare('SELECT value FROM meta WHERE key = :key').get({ key: KEY });
  return row === undefined ? null : textOf(row.value);
}

/** Names the database file. Callers give the transaction. */
export function writeStoreId(db: SqliteDatabase, storeId: string): void {
  db.prepare('INSERT INTO meta (key, value) VALUES (:key, :value)').run({ key: KEY, value: utf8(storeId) });
}
