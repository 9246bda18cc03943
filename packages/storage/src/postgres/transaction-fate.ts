import type { Transaction } from './database.ts';

/** A transaction as the server knows it, and the server's process that ran it. */
export interface TransactionName {
  readonly id: string;
  readonly process: number;
}

/** What became of a transaction; null when nobody can be asked. */
export type Fate = 'committed' | 'aborted' | null;

const PAUSE_MS = 100;

/**
 * Asks what became of a transaction whose connection was lost while it was being committed.
 *
 * The server may not have noticed yet that the connection is gone, and then it waits with every lock held for a
 * commit that never comes: its process is ended. Nothing is lost by that, since a commit that has begun is finished.
 *
 * @param using runs queries on a connection, a new one each time.
 */
export async function fateOf(
  { id, process }: TransactionName,
  patienceMs: number,
  using: <T>(query: (connection: Transaction) => Promise<T>) => Promise<T>,
): Promise<Fate> {
  for (let waited = 0; waited <= patienceMs; waited += PAUSE_MS) {
    try {
      const status = await using(async (connection) => {
        const [row] = await connection.select('SELECT pg_xact_status(:id::xid8) AS status', { id });
        if (row?.status === 'in progress') {
          const ended =
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :process AND backend_xid::text = (:id::xid8)::xid::text';
          await connection.select(ended, { id, process });
        }
        return row?.status;
      });
      if (status === 'committed' || status === 'aborted') return status;
      // Too long ago for the server to remember.
      if (status === null) return null;
    } catch {
      // Not reachable, or coming up: asked again below.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return null;
}
