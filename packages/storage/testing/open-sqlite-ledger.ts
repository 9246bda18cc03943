import type { OpenLedger } from '@unsay/live-resources/testing';
import type { KeyProvider } from '../src/envelope/key-provider.ts';
import { openKeyRing } from '../src/keys/key-ring.ts';
import type { SqliteDatabase } from '../src/sqlite/database.ts';
import { createSqliteFactStore } from '../src/sqlite/fact-store.ts';
import { openDatabase } from '../src/sqlite/open-database.ts';
import { createLedgerStore } from '../src/stores/ledger-store.ts';
import { randomness, sampleProvider } from './open-sqlite-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The facts and the ledger of a database that is open already, over one key ring. */
export async function ledgerOn(db: SqliteDatabase, provider: KeyProvider = sampleProvider()) {
  const clock = { now: () => Date.UTC(2026, 0, 5, 9) };
  const keys = await openKeyRing(db, { provider, randomness, clock });
  return { keys, store: createSqliteFactStore(db, keys), ledger: createLedgerStore(db, keys) };
}

/** A new SQLite ledger in a folder of its own, for the ledger contract. */
export async function openSqliteLedger(provider: KeyProvider = sampleProvider()): Promise<OpenLedger> {
  const folder = temporaryFolder();
  let db = openDatabase(folder.path);
  return {
    ...(await ledgerOn(db, provider)),
    async reopen() {
      db.close();
      db = openDatabase(folder.path);
      return ledgerOn(db, provider);
    },
    async close() {
      db.close();
      folder[Symbol.dispose]();
    },
  };
}
