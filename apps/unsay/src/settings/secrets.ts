import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Reads a secret of the data folder, and makes it first when there is none. */
export function keptSecret(folder: string, name: string, make: () => string): string {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const text = make();
  keepSecret(folder, name, text);
  return text;
}

/**
 * Writes a secret of the data folder in the place of the one that is there. The file has mode 0600 and is complete from
 * the moment it has its name: it is written beside its place, flushed, and renamed.
 */
export function keepSecret(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  const beside = `${path}.new`;
  const file = openSync(beside, 'w', 0o600);
  try {
    writeSync(file, `${text}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
  flushFolder(folder);
}

function flushFolder(folder: string): void {
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
