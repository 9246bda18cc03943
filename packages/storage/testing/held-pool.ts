import type { PostgresConnection, PostgresPool, PostgresQuery } from '../src/postgres/driver.ts';

/** A pool whose queries are looked at before they are sent, such as to hold one back. */
export function watchedPool(
  pool: PostgresPool,
  before: (query: PostgresQuery, connection: PostgresConnection) => Promise<void> | void,
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
        return connection.query(query);
      },
      release: (isBroken) => connection.release(isBroken),
      on: connection.on.bind(connection),
    };
  }
}
