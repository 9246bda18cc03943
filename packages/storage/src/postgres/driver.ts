/**
 * What the application hands in: a pool of connections to one database. A `Pool` of the library `pg` is one; this
 * package imports no driver.
 */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
  /** Waits for the connections that are in use, and closes all. */
  end(): Promise<void>;
  /** Tells of connections that were lost while nobody used them. */
  on(event: 'error', lost: (error: Error) => void): unknown;
}

/** One connection, from the pool until it is released. It runs one query after the other, in the order they come. */
export interface PostgresConnection {
  /** Parameters stand as `$1`, `$2` …; bytes come and go as `Uint8Array`. */
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** Gives it back to the pool, or has it closed when it is broken. */
  release(isBroken?: boolean): void;
  on(event: 'error', lost: (error: Error) => void): unknown;
  /** Called when it has ended, for whatever reason. */
  on(event: 'end', ended: () => void): unknown;
  /** Called for each notification of a channel that this connection listens to. */
  on(event: 'notification', heard: () => void): unknown;
}

export interface PostgresQuery {
  readonly text: string;
  /** None where several statements are sent at once. */
  readonly values?: unknown[];
}

export interface PostgresResult {
  readonly rows: Record<string, unknown>[];
  /** How many rows a statement changed. */
  readonly rowCount: number | null;
}
