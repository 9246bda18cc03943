import { StorageError, type StorageErrorCode } from '../storage-error.ts';

/** Codes whose sentence depends on nothing but the file. */
type PlainCode = Extract<
  StorageErrorCode,
  'in_use' | 'not_a_store' | 'unwritable' | 'damaged' | 'full' | 'io_failed'
>;

// Primary result codes, https://sqlite.org/rescode.html. The low byte of an extended code is the primary one.
const CODES: ReadonlyMap<number, PlainCode> = new Map([
  [5, 'in_use'], // BUSY
  [6, 'in_use'], // LOCKED
  [8, 'unwritable'], // READONLY
  [10, 'io_failed'], // IOERR
  [11, 'damaged'], // CORRUPT
  [13, 'full'], // FULL
  [14, 'unwritable'], // CANTOPEN
  [15, 'in_use'], // PROTOCOL
  [23, 'unwritable'], // AUTH
  [26, 'not_a_store'], // NOTADB
]);

const SENTENCES: Readonly<Record<PlainCode, (file: string) => string>> = {
  in_use: (file) =>
    `The store ${file} is in use by another process. Stop that process, or choose another data folder.`,
  not_a_store: (file) =>
    `The file ${file} is not a store of this program. Choose another data folder, or move the file away.`,
  unwritable: (file) =>
    `The store ${file} cannot be opened for writing. Give this user the right to write there, or choose another data folder.`,
  damaged: (file) =>
    `The store ${file} is damaged: some of its bytes are not what was written. Stop the program, keep a copy of the folder, and restore the newest backup.`,
  full: (file) =>
    `There is no room left for the store ${file}; the last change was not written. Free some space and try again.`,
  io_failed: (file) =>
    `The operating system could not read or write the store ${file}. Check the disk, its file system, and this user's quota and limit on the size of files.`,
};

/** A refusal whose sentence depends on nothing but the file. */
export function refusal(code: PlainCode, file: string, cause?: unknown): StorageError {
  return new StorageError(code, SENTENCES[code](file), cause);
}

/** What an error of the engine says about the store; every other error comes back as it is. */
export function translate(error: unknown, file: string): unknown {
  const code = CODES.get(resultCode(error) & 0xff);
  return code === undefined ? error : refusal(code, file, error);
}

/** Whether an error of the engine says that bytes of the store are not what was written. */
export function isDamage(error: unknown, file: string): boolean {
  const translated = translate(error, file);
  return translated instanceof StorageError && translated.code === 'damaged';
}

function resultCode(error: unknown): number {
  const known = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof known === 'number' ? known : 0;
}
