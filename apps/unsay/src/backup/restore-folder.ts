import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { STORE_FILE } from '@unsay/storage';
import { type OperationResult, refusal } from '../operations/operation.ts';
import { asTyped } from '../settings/as-typed.ts';
import { makeFolder } from '../settings/make-folder.ts';
import { SettingError } from '../settings/settings.ts';
import { copyDurably, flushFolder } from './durable-copy.ts';

/** The store, until everything else of a backup is in its place. */
const UNFINISHED = `${STORE_FILE}.restoring`;

/**
 * Puts a backup into a data folder that is empty. The store gets its name last: a restore that was killed
 * leaves a folder that is not taken for a data folder, and is done again by the next.
 */
export function restoreFolder(source: string, data: string): OperationResult {
  const [from, to] = [resolve(source), resolve(data)];
  const fault = faultOfSource(from) ?? faultOfTarget(to);
  if (fault !== null) return fault;
  makeFolder(to);
  const names = filesOf(from).filter((name) => name !== STORE_FILE);
  replace(join(from, STORE_FILE), join(to, UNFINISHED));
  for (const name of names) replace(join(from, name), join(to, name));
  flushFolder(to);
  renameSync(join(to, UNFINISHED), join(to, STORE_FILE));
  flushFolder(to);
  flushFolder(dirname(to));
  return { ok: true, data: { data: to, keys: names } };
}

/**
 * A folder in which a restore was not finished has secrets and no store. Opening would make an empty one.
 *
 * @throws SettingError when a restore was not finished.
 */
export function refuseUnfinishedRestore(data: string): void {
  if (!existsSync(join(data, UNFINISHED))) return;
  throw new SettingError(
    `A restore into ${data} was not finished. Run ${asTyped('restore SOURCE')} again, or choose another data folder.`,
  );
}

function faultOfSource(from: string): OperationResult | null {
  if (!existsSync(join(from, STORE_FILE)))
    return refusal(
      `There is no backup in ${from}.`,
      `Name the folder that ${asTyped('backup TARGET')} made.`,
    );
  const isLive = ['control.sock', `${STORE_FILE}-wal`].some((name) => existsSync(join(from, name)));
  if (!isLive) return null;
  return refusal(
    `${from} is a data folder in use, and no backup.`,
    `Make one with ${asTyped('backup TARGET')}.`,
  );
}

function faultOfTarget(to: string): OperationResult | null {
  const names = existsSync(to) ? readdirSync(to) : [];
  if (names.length === 0 || names.includes(UNFINISHED)) return null;
  return refusal(
    `${to} is not empty.`,
    `Restore into a new folder: ${asTyped('restore SOURCE --data FOLDER')}.`,
  );
}

function replace(from: string, to: string): void {
  rmSync(to, { force: true });
  copyDurably(from, to);
}

function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}
