import type { PostgresConnection, PostgresPool, PostgresQuery } from '../src/postgres/driver.ts';

/** A pool whose queries are looked at before they are sent, such as to hold one back, and after they were answered. */
export function watchedPool(
  pool: PostgresPool,
  before: (query: PostgresQuery, connection: PostgresConnection) => Promise<void> | void,
  after: () => void = () => undefined,
): PostgresPool {
  const known = new WeakMap<PostgresConnection, PostgresConnection>();
  return {
    async connect() {
      const connection = await pool.connect();
      const watched = known.get(connection) ?? watch(connection);
      known.set(connection, watched);
      return watched;
    },
    end: () => pool.end(),
    on: (event, lost) => pool.on(event, lost),
  };

  function watch(connection: PostgresConnection): PostgresConnection {
    return {
      async query(query) {
        await before(query, connection);
        const result = await connection.query(query);
        after();
        return result;
      },
      release: (isBroken) => connection.release(isBroken),
      on: connection.on.bind(connection),
    };
  }
}
