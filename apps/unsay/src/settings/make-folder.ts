import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { flushFolder } from '../backup/durable-copy.ts';
import { SettingError } from './settings.ts';

/**
 * Makes a folder (0700), and those above it that are missing, and writes their names to the disk.
 *
 * Each by itself: below a folder that takes no new name and says that there is no such file, as /proc does,
 * `mkdirSync` with `recursive` tries for ever.
 *
 * @throws SettingError when it cannot be made.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 });
      flushFolder(dirname(folder));
    } catch (error) {
      // Of two that start at once, the other one made it.
      if (existsSync(folder)) continue;
      throw new SettingError(
        `The folder ${folder} cannot be made. Give this user the right to make it, or choose another data folder.`,
        { cause: error },
      );
    }
  }
}
