import { textOf } from '../rows/cells.ts';
import type { Meta } from '../stores/meta.ts';
import { utf8 } from '../utf8.ts';
import type { SqliteDatabase } from './database.ts';

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
    async set(key, value) {
      db.write(() => upsert.run({ key, value: utf8(value) }));
    },
  };
}
