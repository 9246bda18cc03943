/**
 * What can be wrong with a store.
 *
 * - `in_use`: another process owns the folder.
 * - `newer_store`: a later release wrote it.
 * - `not_a_store`: the file is not ours.
 * - `wrong_key`: it was made with another key, or with keys where none were given, or the other way round.
 * - `unwritable`: the folder or the file cannot be created, opened or written.
 * - `damaged`: its bytes are not what was written.
 * - `full`: there is no room left.
 * - `io_failed`: the operating system could not read or write.
 */
export type StorageErrorCode =
  | 'in_use'
  | 'newer_store'
  | 'not_a_store'
  | 'wrong_key'
  | 'unwritable'
  | 'damaged'
  | 'full'
  | 'io_failed';

/**
 * A store that cannot be opened or used. The message is for whoever runs the program: what happened, to
 * which file, and what to do. It names paths, so it is not for callers across the network.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
