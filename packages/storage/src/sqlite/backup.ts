import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { SqliteDatabase } from './database.ts';

/**
 * Writes the store as it is at this moment into `file`, which must not be there yet (it gets mode 0600). On
 * return the file is on the disk. Nothing else runs in this process meanwhile, so nothing comes in between.
 *
 * It goes through the connection that owns the store: opening the store's own file a second time would give
 * its lock up (see {@link openDatabase}).
 *
 * @throws StorageError when the store cannot be read or `file` cannot be written.
 */
export function backUpDatabase(db: SqliteDatabase, file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
  db.read(() => db.prepare('VACUUM INTO :file').run({ file }));
  const written = openSync(file, 'r+');
  try {
    fsyncSync(written);
  } finally {
    closeSync(written);
  }
}
