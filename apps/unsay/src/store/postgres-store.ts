import type { Clock, Randomness } from '@unsay/live-resources';
import {
  createPostgresFactStore,
  createSecretStore,
  createSharedWindow,
  type KeyProvider,
  missingMigrations,
  openKeyRing,
  openMeta,
  openPostgres,
  openWakeUps,
  type WakeUps,
} from '@unsay/storage';
import { SettingError } from '../settings/settings.ts';
import type { OpenStore, OtherServers } from './open-store.ts';

// Writes of a server share one connection; the rest is for readers and for listening.
const MOST_CONNECTIONS = 10;
const CONNECT_MS = 5_000;

/**
 * Opens the store in a PostgreSQL database, which other servers may have open as well.
 *
 * @throws StorageError when the database cannot be used, with what to do.
 */
export async function openPostgresStore(
  url: string,
  provider: KeyProvider,
  { clock, randomness }: { readonly clock: Clock; readonly randomness: Randomness },
): Promise<OpenStore> {
  const { pool, name } = await poolOf(url);
  const database = await openPostgres({ pool, name, clock });
  let wakeUps: WakeUps | null = null;
  let look = (): void => undefined;
  const others: OtherServers = {
    announce: () => wakeUps?.announce(),
    async listen(toLook, onFault) {
      look = oneAtATime(toLook, onFault);
      wakeUps = await openWakeUps(database, { wake: () => look(), pollMs: POLL_MS });
    },
  };
  try {
    const keys = await openKeyRing(database, { provider, randomness, clock });
    return {
      called: `PostgreSQL at ${name}`,
      tables: database,
      keys,
      facts: createPostgresFactStore(database, keys, others.announce),
      meta: await openMeta(database),
      secrets: createSecretStore(database, keys),
      others,
      windowOf: (limit) => createSharedWindow(database, keys, limit),
      alone: (work) => database.exclusively('unsay: alone', work),
      backUp() {
        throw new SettingError(
          `The store is in the database ${name}. Copy it with pg_dump, and keep UNSAY_MASTER_KEY with the copy.`,
        );
      },
      async close() {
        wakeUps?.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Runs the migrations that the store in a database lacks, or with `dryRun` only finds them; gives their names.
 *
 * @throws StorageError when the database cannot be used, with what to do.
 */
export async function migratePostgres(
  url: string,
  clock: Clock,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly string[]> {
  const missing = await missingMigrations(await poolOf(url));
  if (!dryRun && missing.length > 0) await (await openPostgres({ ...(await poolOf(url)), clock })).close();
  return missing;
}

async function poolOf(url: string) {
  const { Pool } = await import('pg');
  const pool = new Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  return { pool, name: databaseName(url) };
}

// A right that ended on another server ends here within a second, though a notification of it was lost.
const POLL_MS = 500;

/** Where a database is, without who uses it. */
export function databaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${decodeURIComponent(pathname)}`;
}

/** Calls once more when it was called meanwhile, and never twice at a time. */
function oneAtATime(work: () => Promise<void>, onFault: (error: unknown) => void): () => void {
  let [isRunning, isDue] = [false, false];
  async function run(): Promise<void> {
    isRunning = true;
    do {
      isDue = false;
      await work().catch(onFault);
    } while (isDue);
    isRunning = false;
  }
  return () => {
    isDue = true;
    if (!isRunning) void run();
  };
}
