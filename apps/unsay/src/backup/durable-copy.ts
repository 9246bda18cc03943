import { chmodSync, closeSync, constants, copyFileSync, fsyncSync, openSync } from 'node:fs';

/** Copies a file to a place that is free, with mode 0600, and writes it to the disk. */
export function copyDurably(from: string, to: string): void {
  // Made first, so that it is nobody else's for even a moment.
  closeSync(openSync(to, 'wx', 0o600));
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o600);
  flush(to, 'r+');
}

/** Writes the names in a folder to the disk. */
export function flushFolder(folder: string): void {
  flush(folder, 'r');
}

function flush(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
