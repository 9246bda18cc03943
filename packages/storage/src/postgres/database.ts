import type { Cells, Row } from '../rows/cells.ts';
import type { StorageError } from '../storage-error.ts';
import type { Command, Tables } from '../stores/tables.ts';
import type { PostgresConnection, PostgresPool } from './driver.ts';
import { positional } from './named-parameters.ts';
import { isLost, refusal, translate } from './postgres-errors.ts';
import { fateOf, type TransactionName } from './transaction-fate.ts';

/** One transaction, on one connection. */
export interface Transaction {
  select(sql: string, cells?: Cells): Promise<Row[]>;
  /** Runs a command and says how many rows it changed. */
  run(command: Command): Promise<number>;
  /** Runs statements that have no parameters. */
  execute(statements: string): Promise<void>;
}

/** An open store in PostgreSQL. Any number of processes may have it open. */
export interface PostgresDatabase extends Tables {
  /**
   * Runs `work` in one transaction. When it resolves, what it wrote is on the disk; when it rejects, nothing was
   * written, unless with `outcome_unknown`. A connection that is lost at the end is no reason to reject: the server
   * is asked what became of the transaction.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Runs `work` while no other process does under the same lock, however long it takes. */
  exclusively<T>(lock: string, work: () => Promise<T>): Promise<T>;
  /** A connection from the pool, with errors as {@link StorageError}. */
  connect(): Promise<PostgresConnection>;
  /** Waits for what is under way and closes every connection. */
  close(): Promise<void>;
}

// How long a process may stand still in the middle of a transaction, in milliseconds: it holds locks that others
// wait for. They wait a little longer than that.
const IDLE_LIMIT_MS = 10_000;
const LOCK_LIMIT_MS = 15_000;

// A server that was restarted has come up by then, mostly.
const PATIENCE_MS = 10_000;

// A database where commits do not wait for the disk is told to, for this transaction alone; whoever made it wait for
// more, such as a replica, knows why.
const BEGIN = `SELECT set_config('idle_in_transaction_session_timeout', '${IDLE_LIMIT_MS}', true),
  set_config('lock_timeout', '${LOCK_LIMIT_MS}', true), set_config('bytea_output', 'hex', true),
  set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true),
  pg_current_xact_id()::text AS id, pg_backend_pid() AS process`;

/**
 * Wraps a pool. `name` is for messages: the host and the database, and no password.
 *
 * @param patienceMs how long the server is asked what became of a change whose connection was lost at its end.
 */
export function wrapPool(pool: PostgresPool, name: string, patienceMs = PATIENCE_MS): PostgresDatabase {
  const watched = new WeakSet<PostgresConnection>();
  let closing: Promise<void> | null = null;
  // What was lost shows at the next use; without a listener it would end the process.
  pool.on('error', () => undefined);

  async function connect(): Promise<PostgresConnection> {
    try {
      const connection = await pool.connect();
      if (!watched.has(connection)) connection.on('error', () => undefined);
      watched.add(connection);
      return connection;
    } catch (error) {
      const told = translate(error, name);
      // Whatever keeps a connection from being made, nothing was sent over it.
      throw told === error ? refusal('unreachable', name, error) : told;
    }
  }

  async function using<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await connect();
    let isBroken = true;
    try {
      const result = await work(connection);
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = isLost(error);
      throw translate(error, name);
    } finally {
      connection.release(isBroken);
    }
  }

  const send = async (connection: PostgresConnection, sql: string, cells: Cells = {}) =>
    connection.query(positional(sql, cells));

  function transactionOn(connection: PostgresConnection): Transaction {
    return {
      select: async (sql, cells) => (await send(connection, sql, cells)).rows as Row[],
      run: async ({ sql, cells }) => (await send(connection, sql, cells)).rowCount ?? 0,
      async execute(statements) {
        await connection.query({ text: statements });
      },
    };
  }

  async function transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let ending: { readonly named: TransactionName; readonly result: T } | null = null;
    try {
      return await using(async (connection) => {
        try {
          await send(connection, 'BEGIN');
          const [begun] = (await send(connection, BEGIN)).rows;
          const result = await work(transactionOn(connection));
          ending = { named: { id: String(begun?.id), process: Number(begun?.process) }, result };
          await send(connection, 'COMMIT');
          return result;
        } catch (error) {
          if (!isLost(error)) await send(connection, 'ROLLBACK');
          throw error;
        }
      });
    } catch (error) {
      if (ending === null || !isLost(error)) throw error;
      return settle(ending, error);
    }
  }

  async function settle<T>(ending: { named: TransactionName; result: T }, lost: unknown): Promise<T> {
    const fate = await fateOf(ending.named, patienceMs, (query) =>
      using((connection) => query(transactionOn(connection))),
    );
    if (fate === 'committed') return ending.result;
    throw fate === 'aborted' ? lost : refusal('outcome_unknown', name, lost);
  }

  return {
    name,
    another: 'another database',
    damaged: (): StorageError => refusal('damaged', name),
    listed: (parameter) => `(SELECT json_array_elements_text(:${parameter}::json))`,
    select: (sql, cells) => using((connection) => transactionOn(connection).select(sql, cells)),
    run: (...commands) =>
      transaction(async (within) => {
        const changed: number[] = [];
        for (const command of commands) changed.push(await within.run(command));
        return changed;
      }),
    change: (lock, queries, decide) =>
      transaction(async (within) => {
        await within.select('SELECT pg_advisory_xact_lock(hashtextextended(:lock, 0))', { lock });
        const rows: Row[] = [];
        for (const { sql, cells } of queries) rows.push(...(await within.select(sql, cells)));
        for (const command of decide(rows)) await within.run(command);
      }),
    transaction,
    exclusively: (lock, work) =>
      using(async (connection) => {
        await send(connection, 'SELECT pg_advisory_lock(hashtextextended(:lock, 0))', { lock });
        try {
          return await work();
        } finally {
          await send(connection, 'SELECT pg_advisory_unlock(hashtextextended(:lock, 0))', { lock });
        }
      }),
    connect,
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}
