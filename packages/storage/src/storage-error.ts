/**
 * What can be wrong with a store.
 *
 * - `in_use`: another process owns the folder, or holds a lock of the database for too long.
 * - `newer_store`: a later release wrote it.
 * - `older_store`: migrations are missing, and this start was told not to run them.
 * - `not_a_store`: the file is not ours, or the database holds other tables.
 * - `wrong_key`: it was made with another key, or with keys where none were given, or the other way round.
 * - `unwritable`: the folder or the file cannot be created, opened or written, or the database is a replica.
 * - `damaged`: its bytes are not what was written.
 * - `full`: there is no room left.
 * - `io_failed`: the operating system could not read or write.
 * - `unreachable`: the database does not answer, or the connection to it was lost. Nothing was written.
 * - `access_denied`: the database refused this user, or its password, or what it tried.
 * - `no_database`: the server has no such database.
 * - `outcome_unknown`: the connection was lost at the end of a change, and the database cannot be asked what became
 *   of it.
 */
export type StorageErrorCode =
  | 'in_use'
  | 'newer_store'
  | 'older_store'
  | 'not_a_store'
  | 'wrong_key'
  | 'unwritable'
  | 'damaged'
  | 'full'
  | 'io_failed'
  | 'unreachable'
  | 'access_denied'
  | 'no_database'
  | 'outcome_unknown';

/**
 * A store that cannot be opened or used. The message is for whoever runs the program: what happened, to
 * which store, and what to do. It names paths or a database, so it is not for callers across the network.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
