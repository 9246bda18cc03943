import { textOf } from '../rows/cells.ts';
import { utf8 } from '../utf8.ts';
import type { SqliteDatabase } from './database.ts';

/** What is true of the whole store, such as which subjects are public, under short names. */
export interface Meta {
  /** The value, or null when there is none. */
  get(key: string): string | null;
  /** Sets the value, durably. */
  set(key: string, value: string): void;
}

/** The settings kept in a database. */
export function createSqliteMeta(db: SqliteDatabase): Meta {
  const select = db.prepare('SELECT value FROM meta WHERE key = :key');
  const upsert = db.prepare(
    'INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  return {
    get(key) {
      const row = db.read(() => select.get({ key }));
      return row === undefined ? null : textOf(row.value);
    },
    set(key, value) {
      db.write(() => upsert.run({ key, value: utf8(value) }));
    },
  };
}
