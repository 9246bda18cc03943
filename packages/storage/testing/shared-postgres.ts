import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

// One server for a run of the tests. The first test that wants it has it started, so that a run without such a test
// does not wait for it; whoever runs the tests ends it.

const SOCKET = 'UNSAY_TEST_POSTGRES_SOCKET';
/** Names another server to test against, such as an older release: a superuser's URL. */
const OUTSIDE = 'UNSAY_TEST_DATABASE_URL';

/** For vitest's `globalSetup`: waits for who wants a server. Gives what ends it. */
export default function setUp(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'unsay-tests-'));
  let server: Promise<PostgresServer> | null = null;
  const door = createServer((socket) => {
    server ??= startPostgres();
    server.then(
      ({ url }) => socket.end(url),
      (error) => socket.destroy(error),
    );
    socket.on('error', () => undefined);
  });
  process.env[SOCKET] = join(folder, 'door');
  door.listen(process.env[SOCKET]);
  return async () => {
    door.close();
    await (await server)?.remove();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The superuser's URL of the server that this run of the tests shares. */
export async function sharedPostgres(): Promise<string> {
  const outside = process.env[OUTSIDE];
  if (outside) return outside;
  const door = process.env[SOCKET];
  if (door === undefined) throw new Error('no globalSetup has made a door to a PostgreSQL server');
  const socket = connect(door);
  let url = '';
  socket.on('data', (chunk) => {
    url += String(chunk);
  });
  await once(socket, 'end');
  if (url === '') throw new Error('PostgreSQL could not be started; the output of the tests says why');
  return url;
}
