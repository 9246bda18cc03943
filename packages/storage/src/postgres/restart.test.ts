import { BEGINNING } from '@unsay/live-resources';
import { faultsIn, sampleFact, write } from '@unsay/live-resources/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openUrl, postgresStoreOn } from '../../testing/open-postgres-store.ts';
import { type PostgresServer, startPostgres } from '../../testing/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

it('loses nothing that was answered when the server is stopped, crashes and starts again under load', async () => {
  const db = await openUrl(server.url);
  const store = await postgresStoreOn(db);
  const answered = new Map<string, number>();
  const codes = new Set<string>();
  let isOver = false;
  let [written, wanted, enough] = [0, 0, Promise.withResolvers<void>()];
  async function writing(subject: string): Promise<void> {
    while (!isOver) {
      const version = await write(store, sampleFact('user', subject, 'walking')).catch((error) => {
        codes.add(error.code ?? error.message);
        return null;
      });
      if (version === null) continue;
      answered.set(subject, version.version);
      written += 1;
      if (written >= wanted) enough.resolve();
    }
  }
  const writers = ['ann', 'ben', 'cat', 'dan'].map(writing);
  const more = (): Promise<void> => {
    [wanted, enough] = [written + 40, Promise.withResolvers<void>()];
    return enough.promise;
  };
  for (const how of ['fast', 'crash', 'fast'] as const) {
    await more();
    await server.stop(how);
    await server.start();
  }
  await more();
  isOver = true;
  await Promise.all(writers);
  expect([...codes]).toEqual(['unreachable']);
  for (const [subject, version] of answered) {
    const head = await store.version(sampleFact('user', subject, 'walking'), null);
    expect(head?.version).toBeGreaterThanOrEqual(version);
  }
  expect(await faultsIn(store)).toEqual([]);
  const positions = (await store.journal(BEGINNING, 10_000)).map(({ position }) => position);
  expect(positions).toEqual(positions.map((_, index) => index + 1));
  await db.close();
});

it('reads from a replica, and says that it is one to whoever writes', async () => {
  await server.stop('fast');
  await server.start('replica');
  const db = await openUrl(server.url);
  const store = await postgresStoreOn(db);
  const fact = sampleFact('user', 'ann', 'walking');
  expect((await store.version(fact, null))?.version).toBeGreaterThan(0);
  await expect(write(store, fact)).rejects.toMatchObject({
    code: 'unwritable',
    message: expect.stringContaining('it is a replica'),
  });
  await db.close();
});
