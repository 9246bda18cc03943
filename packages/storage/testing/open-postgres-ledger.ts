import type { OpenLedger } from '@unsay/live-resources/testing';
import type { KeyProvider } from '../src/envelope/key-provider.ts';
import { openKeyRing } from '../src/keys/key-ring.ts';
import type { PostgresDatabase } from '../src/postgres/database.ts';
import { createPostgresFactStore } from '../src/postgres/fact-store.ts';
import { createLedgerStore } from '../src/stores/ledger-store.ts';
import { temporarySchema } from './open-postgres-store.ts';
import { randomness, sampleProvider } from './open-sqlite-store.ts';

async function ledgerOn(db: PostgresDatabase, provider: KeyProvider) {
  const clock = { now: () => Date.UTC(2026, 0, 5, 9) };
  const keys = await openKeyRing(db, { provider, randomness, clock });
  return { store: createPostgresFactStore(db, keys), ledger: createLedgerStore(db, keys) };
}

/** A new ledger in a schema of its own, for the ledger contract. */
export async function openPostgresLedger(provider: KeyProvider = sampleProvider()): Promise<OpenLedger> {
  const schema = await temporarySchema();
  let db = await schema.open();
  return {
    ...(await ledgerOn(db, provider)),
    async reopen() {
      await db.close();
      db = await schema.open();
      return ledgerOn(db, provider);
    },
    async close() {
      await db.close();
      await schema.close();
    },
  };
}
