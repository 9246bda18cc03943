import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { translate } from './sqlite-errors.ts';

/** A row as the engine gives it: integers are bigints, so that a damaged one is a number and not an error. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A prepared statement. Parameters are named; an unknown one is an error, a missing one is NULL. */
export interface Statement {
  get(parameters?: Record<string, SQLInputValue>): Row | undefined;
  all(parameters?: Record<string, SQLInputValue>): Row[];
  /** Runs it and says how many rows it changed. */
  run(parameters?: Record<string, SQLInputValue>): number;
}

/** An open store. The stores of this package share one and never use it across a turn of the event loop. */
export interface SqliteDatabase {
  /** Its path, for messages. */
  readonly file: string;
  prepare(sql: string): Statement;
  /** Runs `work`, with errors of the engine as {@link StorageError}. */
  read<T>(work: () => T): T;
  /**
   * Runs `work` in one transaction. When it returns, what it wrote is on the disk; when it throws, nothing
   * was written. `work` is synchronous to its end: one that awaited would be committed half done.
   */
  write<T>(work: () => T): T;
  /** Writes everything into the main file and gives the folder up. A second call does nothing. */
  close(): void;
}

/** Wraps a connection that was configured and migrated. `file` is for messages. */
export function wrapConnection(connection: DatabaseSync, file: string): SqliteDatabase {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');

  function read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translate(error, file);
    }
  }

  function write<T>(work: () => T): T {
    return read(() => {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        // The engine itself has rolled back after some errors, such as a full disk.
        if (connection.isTransaction) connection.exec('ROLLBACK');
        throw error;
      }
    });
  }

  return {
    file,
    prepare: (sql) => read(() => prepare(connection, sql)),
    read,
    write,
    close() {
      if (connection.isOpen) connection.close();
    },
  };
}

function prepare(connection: DatabaseSync, sql: string): Statement {
  const statement = connection.prepare(sql);
  return {
    get: (parameters = {}) => statement.get(parameters),
    all: (parameters = {}) => statement.all(parameters),
    run: (parameters = {}) => Number(statement.run(parameters).changes),
  };
}
