import { type Instant, instant } from '@unsay/live-resources';
import { numberOf, textOf } from '../rows/cells.ts';
import { StorageError } from '../storage-error.ts';
import type { PostgresDatabase, Transaction } from './database.ts';
import { firstMigration } from './migrations/0001-first.ts';
import { limitsMigration } from './migrations/0002-limits.ts';
import { refusal } from './postgres-errors.ts';

/** Statements that bring a store to the version of their place in the list, 1 for the first. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Every migration there ever was, in order. One that was released is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-first', sql: firstMigration },
  { name: '0002-limits', sql: limitsMigration },
];

/**
 * The names of the migrations that a store still lacks, in order. Nothing is changed.
 *
 * @throws StorageError `newer_store` when a later release has migrated it, `not_a_store` when it holds other tables.
 */
export async function pendingMigrations(
  db: PostgresDatabase,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const version = await versionOf(db, db, migrations.length);
  return migrations.slice(version).map(({ name }) => name);
}

/**
 * Runs the migrations that a store lacks, all or none. Of several processes that start at once one runs them, and the
 * others wait for it.
 *
 * @throws StorageError as {@link pendingMigrations}.
 */
export async function migrate(
  db: PostgresDatabase,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  // Most starts find nothing to do, and need no right to change tables for that.
  if ((await pendingMigrations(db, migrations)).length === 0) return;
  await db.transaction(async (within) => {
    await within.select("SELECT set_config('lock_timeout', '0', true), pg_advisory_xact_lock(:key)", {
      key: LOCK_KEY,
    });
    const version = await versionOf(db, within, migrations.length);
    for (const [index, { name, sql }] of migrations.entries()) {
      if (index < version) continue;
      await within.execute(sql);
      await within.run(marked(index + 1, name, instant(now)));
    }
  });
}

// 'unsy' in ASCII, as in the header of a SQLite store.
const LOCK_KEY = 0x756e7379;
const MARKS = 'schema_migrations';

const marked = (version: number, name: string, at: Instant) => ({
  sql: `INSERT INTO ${MARKS} (version, name, run_at) VALUES (:version, :name, :at)`,
  cells: { version, name, at },
});

async function versionOf(
  db: PostgresDatabase,
  { select }: Pick<Transaction, 'select'>,
  newest: number,
): Promise<number> {
  const tables = await select(
    'SELECT tablename::text AS name FROM pg_catalog.pg_tables WHERE schemaname = current_schema()',
  );
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => textOf(name) === MARKS)) throw refusal('not_a_store', db.name);
  const [row] = await select(`SELECT max(version) AS version FROM ${MARKS}`);
  const version = numberOf(row?.version);
  if (!(version >= 1)) throw refusal('not_a_store', db.name);
  if (version <= newest) return version;
  throw new StorageError(
    'newer_store',
    `The database ${db.name} was migrated by a newer release (its version is ${version}, this program knows ${newest}). ` +
      'Start that release or a later one, or name another database.',
  );
}
