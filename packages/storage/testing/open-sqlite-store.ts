import type { OpenStore } from '@unsay/live-resources/testing';
import { createSqliteFactStore } from '../src/sqlite/fact-store.ts';
import { openDatabase } from '../src/sqlite/open-database.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A new SQLite store in a folder of its own, for the store contract. */
export async function openSqliteStore(): Promise<OpenStore> {
  const folder = temporaryFolder();
  let db = openDatabase(folder.path);
  return {
    store: createSqliteFactStore(db),
    async reopen() {
      db.close();
      db = openDatabase(folder.path);
      return createSqliteFactStore(db);
    },
    async close() {
      db.close();
      folder[Symbol.dispose]();
    },
  };
}
