import type { Cells, Row } from '../rows/cells.ts';
import type { StorageError } from '../storage-error.ts';

/** A statement with what it is given. */
export interface Command {
  /** Parameters are named, such as `:id`; one that is missing is NULL. */
  readonly sql: string;
  readonly cells: Cells;
}

/**
 * An open store as tables, whatever the engine: what is kept in the same way on all of them is written once against
 * this. The SQL is what SQLite and PostgreSQL understand alike.
 */
export interface Tables {
  /** Which store it is, for messages; it names no password. */
  readonly name: string;
  /** What may be chosen in its place, for messages. */
  readonly another: string;
  /** The error of a record that is not what was written. */
  damaged(): StorageError;
  /** SQL for the values of a parameter that is a JSON array of texts. */
  listed(parameter: string): string;
  /** The rows of a query. */
  select(sql: string, cells?: Cells): Promise<Row[]>;
  /** Runs the commands in one transaction, and gives how many rows each changed. On return they are durable. */
  run(...commands: readonly Command[]): Promise<number[]>;
  /**
   * Runs what `decide` makes of the rows of some queries, durably, with no other change of the same `lock` in
   * between. It may be called more than once, and what counts is the last time.
   */
  change(
    lock: string,
    queries: readonly Command[],
    decide: (rows: Row[]) => readonly Command[],
  ): Promise<void>;
}
