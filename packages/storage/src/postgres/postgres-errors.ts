import { StorageError, type StorageErrorCode } from '../storage-error.ts';

/** Codes whose sentence depends on nothing but the database. */
type PlainCode = Exclude<StorageErrorCode, 'newer_store' | 'older_store' | 'wrong_key'>;

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html: whole codes, then classes.
const CODES: ReadonlyMap<string, PlainCode> = new Map([
  ['25006', 'unwritable'], // read only sql transaction
  ['25P03', 'unreachable'], // idle in transaction session timeout
  ['3D000', 'no_database'], // invalid catalog name
  ['3F000', 'access_denied'], // invalid schema name
  ['42501', 'access_denied'], // insufficient privilege
  ['53100', 'full'], // disk full
  ['53200', 'full'], // out of memory
  ['53300', 'unreachable'], // too many connections
  ['55P03', 'in_use'], // lock not available
  ['57014', 'in_use'], // query cancelled, such as by a time-out
  ['57P01', 'unreachable'], // admin shutdown
  ['57P02', 'unreachable'], // crash shutdown
  ['57P03', 'unreachable'], // cannot connect now
  ['57P04', 'no_database'], // database dropped
  ['57P05', 'unreachable'], // idle session timeout
  ['58030', 'io_failed'], // io error
  ['08', 'unreachable'], // connection exception
  ['28', 'access_denied'], // invalid authorization specification
  ['XX001', 'damaged'], // data corrupted
  ['XX002', 'damaged'], // index corrupted
]);

const SENTENCES: Readonly<Record<PlainCode, (name: string) => string>> = {
  in_use: (name) =>
    `The database ${name} did not get to it in time: another process holds a lock. Look for it in pg_stat_activity, and try again.`,
  not_a_store: (name) =>
    `The database ${name} holds tables of something else. Create a database for this program alone, and name that.`,
  unwritable: (name) =>
    `The database ${name} can only be read: it is a replica, or its transactions are read-only. Name the primary, or make it writable.`,
  damaged: (name) =>
    `The store in the database ${name} is damaged: some of its bytes are not what was written. Stop every process that uses it, keep a copy, and restore the newest backup.`,
  full: (name) =>
    `There is no room left for the database ${name}; the last change was not written. Free some space and try again.`,
  io_failed: (name) =>
    `The server of the database ${name} could not read or write its files. Check its disk and its log.`,
  unreachable: (name) =>
    `The database ${name} cannot be reached, or takes no more connections. Check that its server runs and lets this machine in, and try again.`,
  access_denied: (name) =>
    `The database ${name} refused this user. Check the user and the password of its address, and that the user may create tables there.`,
  no_database: (name) => `There is no database ${name}. Create it, or correct its address.`,
  outcome_unknown: (name) =>
    `The connection to the database ${name} was lost while a change was being written, and whether it was is not known. Check that its server runs, and send the same request again with its idempotency key.`,
};

/** A refusal whose sentence depends on nothing but the database. */
export function refusal(code: PlainCode, name: string, cause?: unknown): StorageError {
  return new StorageError(code, SENTENCES[code](name), cause);
}

/** What an error of the engine or of the connection says about the store; every other error comes back as it is. */
export function translate(error: unknown, name: string): unknown {
  if (error instanceof StorageError) return error;
  const state = sqlState(error);
  const code = state === null ? lostConnection(error) : (CODES.get(state) ?? CODES.get(state.slice(0, 2)));
  return code === undefined ? error : refusal(code, name, error);
}

/** Whether the connection is gone, so that nobody can say what became of the statement. */
export function isLost(error: unknown): boolean {
  const translated = translate(error, '');
  return translated instanceof StorageError && translated.code === 'unreachable';
}

function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

// What the library `pg` says of a connection that ended; the operating system's own errors name their call.
const LOST = /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout)/;

function lostConnection(error: unknown): PlainCode | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AggregateError) return error.errors.some(lostConnection) ? 'unreachable' : undefined;
  const isOfSystem = 'syscall' in error && 'errno' in error;
  return isOfSystem || LOST.test(error.message) ? 'unreachable' : undefined;
}
