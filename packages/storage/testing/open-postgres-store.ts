import type { FactStore } from '@unsay/live-resources';
import type { OpenStore } from '@unsay/live-resources/testing';
import { Client, Pool } from 'pg';
import type { KeyProvider } from '../src/envelope/key-provider.ts';
import { openKeyRing } from '../src/keys/key-ring.ts';
import type { PostgresDatabase } from '../src/postgres/database.ts';
import { createPostgresFactStore } from '../src/postgres/fact-store.ts';
import { openPostgres } from '../src/postgres/open-postgres.ts';
import { randomness, sampleProvider } from './open-sqlite-store.ts';
import { sharedPostgres } from './shared-postgres.ts';

/** A schema of its own for one test, in the server that all tests share. */
export interface TemporarySchema {
  /** Of a database whose connections have this schema first in their search path. */
  readonly url: string;
  /** SQL for the server's processes that serve its connections, and no other test's. */
  readonly processes: string;
  /** Opens the store in it. */
  open(): Promise<PostgresDatabase>;
  /** Runs statements behind the store's back. */
  execute(sql: string): Promise<Record<string, unknown>[]>;
  /** Gives it back, empty, for the next test: its tables need not be made again. */
  close(): Promise<void>;
}

const clock = { now: () => Date.UTC(2026, 0, 5, 9) };
let made = 0;
const free: TemporarySchema[] = [];

/** An empty store's schema, or one without tables yet. It goes with the server. */
export async function temporarySchema(): Promise<TemporarySchema> {
  return free.pop() ?? makeSchema();
}

const EMPTIED = `
  DO $$ DECLARE of_store text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR of_store IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
      AND tablename NOT IN ('schema_migrations', 'journal_head') LOOP
      EXECUTE format('DELETE FROM %I', of_store);
    END LOOP;
    IF to_regclass('journal_head') IS NOT NULL THEN UPDATE journal_head SET position = 0; END IF;
  END $$`;

async function makeSchema(): Promise<TemporarySchema> {
  made += 1;
  const name = `test_${process.pid}_${made}`;
  const url = new URL(await sharedPostgres());
  url.searchParams.set('options', `-c search_path=${name}`);
  const admin = new Client({ connectionString: url.href });
  url.searchParams.set('application_name', name);
  await admin.connect();
  await admin.query(`CREATE SCHEMA ${name}`);
  const schema: TemporarySchema = {
    url: url.href,
    processes: `pg_stat_activity WHERE application_name = '${name}'`,
    open: () => openUrl(url.href),
    execute: async (sql) => (await admin.query(sql)).rows,
    async close() {
      await admin.query(EMPTIED);
      free.push(schema);
    },
  };
  return schema;
}

/** Opens the store that a URL names. */
export function openUrl(url: string, migrates = true): Promise<PostgresDatabase> {
  const { host, pathname } = new URL(url);
  const pool = new Pool({ connectionString: url, max: 4 });
  return openPostgres({ pool, name: `${host}${pathname}`, clock, migrates });
}

/** A store on a database that is open already. */
export async function postgresStoreOn(
  db: PostgresDatabase,
  provider: KeyProvider = sampleProvider(),
): Promise<FactStore> {
  return createPostgresFactStore(db, await openKeyRing(db, { provider, randomness, clock }));
}

/** A new store in a schema of its own, for the store contract. */
export async function openPostgresStore(provider: KeyProvider = sampleProvider()): Promise<OpenStore> {
  const schema = await temporarySchema();
  let db = await schema.open();
  return {
    store: await postgresStoreOn(db, provider),
    async reopen() {
      await db.close();
      db = await schema.open();
      return postgresStoreOn(db, provider);
    },
    async close() {
      await db.close();
      await schema.close();
    },
  };
}
