import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { STORE_FILE } from '@unsay/storage';
import type { OpenFolder } from '../open-folder.ts';
import { type OperationResult, refusal } from '../operations/operation.ts';
import { copyDurably, flushFolder } from './durable-copy.ts';

/**
 * Writes the store as it is at this moment, and the secrets of its folder unless `withKeys` is false, into a
 * new folder. The folder has its name only once everything in it is on the disk.
 */
export function backUpFolder(folder: OpenFolder, target: string, withKeys: boolean): OperationResult {
  const home = resolve(target);
  const beside = `${home}.unfinished`;
  if (existsSync(home)) return refusal(`${home} is there already.`, 'Name a folder that is not there yet.');
  if (existsSync(beside))
    return refusal(
      `${beside} is left of a backup that was not finished.`,
      'Remove it, or name another folder.',
    );
  if (!existsSync(dirname(home)))
    return refusal(`${dirname(home)} is not there.`, 'Make it first, or name another folder.');
  mkdirSync(beside, { mode: 0o700 });
  const keys = withKeys ? secretsIn(folder.path) : [];
  try {
    folder.backUp(join(beside, STORE_FILE));
    for (const name of keys) copyDurably(join(folder.path, name), join(beside, name));
    flushFolder(beside);
    renameSync(beside, home);
    flushFolder(dirname(home));
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    throw error;
  }
  return { ok: true, data: { target: home, store: STORE_FILE, keys } };
}

/** Files of a data folder that only its owner may read, the store left out: it must not be opened (see the lock). */
function secretsIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => !name.startsWith(STORE_FILE) && !name.endsWith('.new'))
    .filter((name) => {
      const status = statSync(join(path, name), { throwIfNoEntry: false });
      return status?.isFile() === true && (status.mode & 0o077) === 0;
    })
    .sort();
}
