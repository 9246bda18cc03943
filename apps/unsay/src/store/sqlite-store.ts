import type { Clock, Randomness } from '@unsay/live-resources';
import {
  backUpDatabase,
  createSqliteFactStore,
  createSqliteMeta,
  type KeyProvider,
  openDatabase,
  openKeyRing,
  type SqliteDatabase,
} from '@unsay/storage';
import { keepSecret, keptSecret } from '../settings/secrets.ts';
import type { OpenStore } from './open-store.ts';

/**
 * Opens the store in a data folder, which this process owns from here on.
 *
 * @param providerOf is asked once the folder is owned.
 * @throws StorageError when the folder cannot be used, with what to do.
 */
export async function openSqliteStore(
  folder: string,
  providerOf: (database: SqliteDatabase) => Promise<KeyProvider>,
  { clock, randomness }: { readonly clock: Clock; readonly randomness: Randomness },
): Promise<OpenStore> {
  const database = openDatabase(folder);
  try {
    const keys = await openKeyRing(database, { provider: await providerOf(database), randomness, clock });
    return {
      called: `SQLite in ${folder}`,
      tables: database,
      keys,
      facts: createSqliteFactStore(database, keys),
      meta: createSqliteMeta(database),
      secrets: {
        kept: async (name, make) => keptSecret(folder, name, make),
        keep: async (name, text) => keepSecret(folder, name, text),
      },
      others: { announce: () => undefined, listen: async () => undefined },
      alone: (work) => work(),
      backUp: (file) => backUpDatabase(database, file),
      close: async () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
