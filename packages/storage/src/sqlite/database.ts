import type { DatabaseSync } from 'node:sqlite';
import type { Cells, Row } from '../rows/cells.ts';
import type { Command, Tables } from '../stores/tables.ts';
import { refusal, translate } from './sqlite-errors.ts';

/**
 * A prepared statement. Parameters are named; an unknown one is an error, a missing one is NULL. Integers come as
 * bigints, so that a damaged one is a number and not an error.
 */
export interface Statement {
  get(parameters?: Cells): Row | undefined;
  all(parameters?: Cells): Row[];
  /** Runs it and says how many rows it changed. */
  run(parameters?: Cells): number;
}

/** A part of the store that is kept in memory. */
export interface Kept<T> {
  get(): T;
  /** Says what it is from here on, in the transaction that makes it so. */
  set(value: T): void;
}

/** An open store. The stores of this package share one and never use it across a turn of the event loop. */
export interface SqliteDatabase extends Tables {
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
  /**
   * {@link write}, in one transaction with whatever else arrives in the same turn of the event loop, in the order
   * of arrival: many then wait for one flush of the disk. Resolves when `work` is on the disk. It rejects when
   * `work` throws, and the others of its transaction are written all the same.
   *
   * `work` may run more than once, each time after what it wrote was rolled back. What it changes in memory
   * belongs into `committed`, which runs before anyone can read what was written.
   */
  group<T>(work: () => T, committed?: (result: T) => void): Promise<T>;
  /**
   * Keeps in memory what `load` reads from the store, for whoever alone changes it and says so. It is read anew
   * after any transaction that was rolled back.
   */
  keep<T>(load: () => T): Kept<T>;
  /**
   * Writes everything that still waits, and all into the main file, and gives the folder up. A second call does
   * nothing.
   */
  close(): void;
}

/** Work that waits for its transaction. `run` gives what is to be done once that is committed. */
interface Waiting {
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

// So that a flood of writers never holds the event loop for longer than a slice of them.
const MOST_IN_A_GROUP = 256;

/** Wraps a connection that was configured and migrated. `file` is for messages. */
export function wrapConnection(connection: DatabaseSync, file: string): SqliteDatabase {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');

  const forgets: (() => void)[] = [];

  function keep<T>(load: () => T): Kept<T> {
    let kept: { readonly value: T } | null = null;
    forgets.push(() => {
      kept = null;
    });
    return {
      get() {
        kept ??= { value: load() };
        return kept.value;
      },
      set(value) {
        kept = { value };
      },
    };
  }

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
        for (const forget of forgets) forget();
        throw error;
      }
    });
  }

  const waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting.splice(0, MOST_IN_A_GROUP);
    if (waiting.length > 0) setImmediate(flush);
    if (group.length > 0) commitTogether(group);
  }

  // Halves of a group that fails are tried by themselves, until whatever throws is alone.
  function commitTogether(group: readonly Waiting[]): void {
    let committed: readonly (() => void)[];
    try {
      committed = write(() => group.map(({ run }) => run()));
    } catch (error) {
      if (group.length === 1) for (const { reject } of group) reject(error);
      else {
        const middle = group.length >> 1;
        commitTogether(group.slice(0, middle));
        commitTogether(group.slice(middle));
      }
      return;
    }
    for (const tell of committed) tell();
  }

  function group<T>(work: () => T, committed: (result: T) => void = () => {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (): (() => void) => {
        const result = work();
        return () => {
          committed(result);
          resolve(result);
        };
      };
      waiting.push({ run, reject });
      // Not a microtask: requests that arrived over other connections in this turn are to be in the group.
      if (waiting.length === 1) setImmediate(flush);
    });
  }

  const prepared = new Map<string, Statement>();

  function statement(sql: string): Statement {
    const known = prepared.get(sql) ?? prepare(connection, sql);
    prepared.set(sql, known);
    return known;
  }

  const run = (commands: readonly Command[]): number[] =>
    commands.map(({ sql, cells }) => statement(sql).run(cells));

  return {
    file,
    name: file,
    another: 'another data folder',
    damaged: () => refusal('damaged', file),
    listed: (parameter) => `(SELECT value FROM json_each(:${parameter}))`,
    async select(sql, cells) {
      return read(() => statement(sql).all(cells));
    },
    run: (...commands) => group(() => run(commands)),
    async change(_lock, queries, decide) {
      await group(() => run(decide(queries.flatMap(({ sql, cells }) => statement(sql).all(cells)))));
    },
    prepare: (sql) => read(() => prepare(connection, sql)),
    read,
    write,
    keep,
    group,
    close() {
      while (waiting.length > 0) flush();
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
