import { DatabaseSync } from 'node:sqlite';
import { prepareDataFolder } from './data-folder.ts';
import { type SqliteDatabase, wrapConnection } from './database.ts';
import { identify, migrate } from './migrate.ts';
import { refusal, translate } from './sqlite-errors.ts';

// Long enough that of two processes that start at once one wins, short enough to be told at once.
const LOCK_WAIT_MS = 100;

/**
 * Opens the store in `folder`, making folder and store where they are missing and bringing an older store
 * up to date. `':memory:'` is a store that is forgotten on close.
 *
 * One process owns a folder. Its lock is the operating system's lock on the database file, held from here
 * to {@link SqliteDatabase.close}, so it ends with the process however the process ends. As long as the
 * store is open, this process must reach its file through this connection only; opening and closing the
 * file by other means, even to read it, would give the lock up (POSIX `fcntl`).
 *
 * @throws StorageError with a sentence for whoever starts the program.
 */
export function openDatabase(folder: string): SqliteDatabase {
  const file = folder === ':memory:' ? folder : prepareDataFolder(folder);
  let connection: DatabaseSync | null = null;
  try {
    connection = new DatabaseSync(file, {
      timeout: LOCK_WAIT_MS,
      readBigInts: true,
      enableForeignKeyConstraints: true,
      enableDoubleQuotedStringLiterals: false,
      allowUnknownNamedParameters: false,
    });
    connection.enableDefensive(true);
    takeLock(connection);
    const version = identify(connection, file);
    configure(connection, file);
    migrate(connection, version);
    return wrapConnection(connection, file);
  } catch (error) {
    connection?.close();
    throw translate(error, file);
  }
}

// The first lock in exclusive mode is kept. It is taken before anything of the file is believed or changed:
// a file that turns out not to be ours must not be touched.
function takeLock(connection: DatabaseSync): void {
  connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
}

function configure(connection: DatabaseSync, file: string): void {
  const mode = connection.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode !== 'wal' && mode !== 'memory') throw refusal('unwritable', file);
  connection.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
  `);
}
