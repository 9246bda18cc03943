import type { Clock } from '@unsay/live-resources';
import { StorageError } from '../storage-error.ts';
import { type PostgresDatabase, wrapPool } from './database.ts';
import type { PostgresPool } from './driver.ts';
import { migrate, pendingMigrations } from './migrate.ts';

/** How a database is opened. */
export interface PostgresParts {
  readonly pool: PostgresPool;
  /** For messages: host, port and database, and no password. */
  readonly name: string;
  readonly clock: Clock;
  /** Whether missing migrations are run; true when left out. Where they are not, they must have been. */
  readonly migrates?: boolean;
  /** How long the server is asked what became of a change whose connection was lost at its end, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * Opens the store in a database, and makes it in an empty one. Its tables stand in the schema that is first in the
 * search path of the pool's connections, which must hold nothing else.
 *
 * Any number of processes may open it. The pool belongs to the store from here on, and is ended with it.
 *
 * @throws StorageError with a sentence for whoever starts the program; the pool is ended then.
 */
export async function openPostgres({
  pool,
  name,
  clock,
  migrates = true,
  patienceMs,
}: PostgresParts): Promise<PostgresDatabase> {
  const db = wrapPool(pool, name, patienceMs);
  try {
    if (migrates) await migrate(db, clock.now());
    else await refuseOlder(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/**
 * The names of the migrations that the store in a database lacks, in order; all of them for an empty one. Nothing is
 * changed, and the pool is ended.
 *
 * @throws StorageError as {@link openPostgres}.
 */
export async function missingMigrations({
  pool,
  name,
}: Pick<PostgresParts, 'pool' | 'name'>): Promise<readonly string[]> {
  const db = wrapPool(pool, name);
  try {
    return await pendingMigrations(db);
  } finally {
    await db.close();
  }
}

async function refuseOlder(db: PostgresDatabase): Promise<void> {
  const missing = await pendingMigrations(db);
  if (missing.length === 0) return;
  throw new StorageError(
    'older_store',
    `The database ${db.name} lacks the migrations ${missing.join(', ')}. Run them with a user that may change tables, and start again.`,
  );
}
