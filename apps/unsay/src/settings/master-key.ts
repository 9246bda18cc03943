import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MASTER_KEY, SettingError, type Settings } from './settings.ts';

/** The file of the data folder that holds the master key when UNSAY_MASTER_KEY does not give it. */
export const MASTER_KEY_FILE = 'master-key';

/**
 * The master key: that of the settings, or the one kept in the data folder. `make` makes and keeps one, null
 * for a store that has its keys already: a new one would open nothing, and would lie where the right one belongs.
 *
 * @throws SettingError when there is none, or the file holds something else.
 */
export function readMasterKey(
  { masterKey, data }: Pick<Settings, 'masterKey' | 'data'>,
  make: (() => string) | null,
): Uint8Array {
  const text = masterKey ?? keptIn(data) ?? make?.() ?? null;
  if (text === null) {
    throw new SettingError(
      `The store in ${data} is sealed and its master key is not there. Put the file ${MASTER_KEY_FILE} back into the folder, or set UNSAY_MASTER_KEY.`,
    );
  }
  if (!MASTER_KEY.test(text)) {
    throw new SettingError(
      `The file ${MASTER_KEY_FILE} in ${data} does not hold 64 hex digits. Put back a copy, or set UNSAY_MASTER_KEY.`,
    );
  }
  return new Uint8Array(Buffer.from(text, 'hex'));
}

function keptIn(folder: string): string | null {
  const path = join(folder, MASTER_KEY_FILE);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}
