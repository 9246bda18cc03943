import { randomBytes } from 'node:crypto';
import type { FactStore, Randomness } from '@unsay/live-resources';
import type { OpenStore } from '@unsay/live-resources/testing';
import type { KeyProvider } from '../src/envelope/key-provider.ts';
import { createLocalKeyProvider } from '../src/envelope/local-key-provider.ts';
import { openKeyRing } from '../src/keys/key-ring.ts';
import type { SqliteDatabase } from '../src/sqlite/database.ts';
import { createSqliteFactStore } from '../src/sqlite/fact-store.ts';
import { openDatabase } from '../src/sqlite/open-database.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Real randomness: two records sealed under one nonce would prove less than they seem to. */
export const randomness: Randomness = {
  bytes: (_purpose: string, _record: string, length: number) => randomBytes(length),
};

/** A provider with a master key that is the same in every process. */
export function sampleProvider(masterKey = Buffer.alloc(32, 'sample master key')): KeyProvider {
  return createLocalKeyProvider(masterKey, randomness);
}

/** A store on a database that is open already. */
export async function storeOn(
  db: SqliteDatabase,
  provider: KeyProvider = sampleProvider(),
  drawn: Randomness = randomness,
): Promise<FactStore> {
  const clock = { now: () => Date.UTC(2026, 0, 5, 9) };
  return createSqliteFactStore(db, await openKeyRing(db, { provider, randomness: drawn, clock }));
}

/** A new SQLite store in a folder of its own, for the store contract. */
export async function openSqliteStore(provider: KeyProvider = sampleProvider()): Promise<OpenStore> {
  const folder = temporaryFolder();
  let db = openDatabase(folder.path);
  return {
    store: await storeOn(db, provider),
    async reopen() {
      db.close();
      db = openDatabase(folder.path);
      return storeOn(db, provider);
    },
    async close() {
      db.close();
      folder[Symbol.dispose]();
    },
  };
}
