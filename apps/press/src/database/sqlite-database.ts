import { DatabaseSync } from 'node:sqlite';
import type { Database, Outcome, Statement, Value } from './database.ts';

/** A database in a file, and how to let go of it. */
export interface SqliteDatabase extends Database {
  close(): void;
}

interface SqliteStatement extends Statement {
  execute(): Outcome;
}

/**
 * Opens a SQLite file, making it when it is missing. A commit is on the disk before it is answered. Other processes
 * may use the file at the same time; each waits up to five seconds for its turn.
 */
export function openSqliteDatabase(path: string): SqliteDatabase {
  const connection = new DatabaseSync(path);
  connection.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const statement = (sql: string, values: readonly Value[]): SqliteStatement => {
    // Compiled when it is used, as D1 does: a batch may use a table that an earlier statement of it makes.
    const compiled = () => connection.prepare(sql);
    const execute = (): Outcome => ({ meta: { changes: Number(compiled().run(...values).changes) } });
    return {
      bind: (...bound) => statement(sql, bound),
      first: async <Row>() => (compiled().get(...values) as Row | undefined) ?? null,
      all: async <Row>() => ({ results: compiled().all(...values) as Row[] }),
      run: async () => execute(),
      execute,
    };
  };
  return {
    prepare: (sql) => statement(sql, []),
    async batch(statements) {
      connection.exec('BEGIN IMMEDIATE');
      try {
        const outcomes = statements.map((each) => (each as SqliteStatement).execute());
        connection.exec('COMMIT');
        return outcomes;
      } catch (error) {
        connection.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => connection.close(),
  };
}
