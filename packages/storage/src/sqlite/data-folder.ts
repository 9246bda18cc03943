import { accessSync, closeSync, constants, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { refusal } from './sqlite-errors.ts';

/** The store's file in its folder. */
export const STORE_FILE = 'unsay.db';

/**
 * Makes the folder (0700) and an empty database file in it (0600) where they are missing, so that neither
 * is readable by others for even a moment, and writes both names to the disk. Existing ones keep their modes.
 *
 * An existing file is never opened here. POSIX drops a process's locks on a file as soon as the process
 * closes any descriptor of it, and the lock of a store that this process already has open would be lost.
 *
 * @returns the path of the database file.
 * @throws StorageError `unwritable`.
 */
export function prepareDataFolder(folder: string): string {
  const home = resolve(folder);
  const file = join(home, STORE_FILE);
  try {
    const firstMade = mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.W_OK | constants.X_OK);
    if (createEmpty(file)) syncFolder(home);
    else accessSync(file, constants.R_OK | constants.W_OK);
    if (firstMade !== undefined) syncParents(home, dirname(firstMade));
  } catch (error) {
    throw refusal('unwritable', file, error);
  }
  return file;
}

function createEmpty(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function syncParents(made: string, existing: string): void {
  for (let folder = made; folder !== existing; folder = dirname(folder)) syncFolder(dirname(folder));
}

// A new name survives a power cut only when the folder that holds it was written too.
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
