import { BEGINNING, type FactStore } from '@unsay/live-resources';
import { faultsIn, sampleFact, write } from '@unsay/live-resources/testing';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from '../../testing/cutting-proxy.ts';
import { postgresStoreOn, type TemporarySchema, temporarySchema } from '../../testing/open-postgres-store.ts';
import { attemptOn, liveOn, PUBLICATIONS } from '../../testing/publications.ts';
import { watchedPool } from '../../testing/watched-pool.ts';
import type { PostgresDatabase } from './database.ts';
import { openPostgres } from './open-postgres.ts';

const FACT = sampleFact('user', 'ray', 'walking');
const PATIENCE_MS = 300;
const [SAMPLE] = PUBLICATIONS;

let schema: TemporarySchema;
let proxy: CuttingProxy;
let db: PostgresDatabase;
let other: PostgresDatabase;
let store: FactStore;
/** What the proxy does once the next commit is about to be sent, and what it does after it was cut. */
let atCommit: readonly [CuttingProxy['mode'], CuttingProxy['mode']] | null;

beforeEach(async () => {
  schema = await temporarySchema();
  proxy = await startCuttingProxy(schema.url);
  atCommit = null;
  const pool = watchedPool(
    new Pool({ connectionString: proxy.through(schema.url) }),
    ({ text }, connection) => {
      if (text !== 'COMMIT' || atCommit === null) return;
      const [now, afterwards] = atCommit;
      atCommit = null;
      proxy.mode = now;
      connection.on('end', () => {
        proxy.mode = afterwards;
      });
    },
  );
  db = await openPostgres({ pool, name: 'the test', clock: { now: () => 0 }, patienceMs: PATIENCE_MS });
  store = await postgresStoreOn(db);
  other = await schema.open();
  await write(store, FACT);
});
afterEach(async () => {
  proxy.mode = 'pass';
  await db.close();
  await proxy.close();
  await other.close();
  await schema.close();
});

it('learns from the server that a change was committed whose answer was lost', async () => {
  atCommit = ['cut at the answer', 'pass'];
  const version = await write(store, FACT);
  expect(atCommit).toBeNull();
  expect(version.version).toBe(2);
  expect(await store.version(FACT, null)).toEqual(version);
  expect(await faultsIn(store)).toEqual([]);
});

it('ends a transaction that the server believes is still wanted, and says that nothing was written', async () => {
  atCommit = ['leave hanging', 'pass'];
  await expect(write(store, FACT)).rejects.toMatchObject({ code: 'unreachable' });
  // It held the lock of all writers.
  const theirs = await postgresStoreOn(other);
  expect((await write(theirs, FACT)).version).toBe(2);
  expect(await faultsIn(store)).toEqual([]);
});

it('says that it does not know when nobody can be asked, and a retry by its key gives the first answer', async () => {
  if (SAMPLE === undefined) throw new Error('there are samples');
  const live = liveOn(store);
  atCommit = ['cut at the answer', 'refuse'];
  await expect(attemptOn(live, SAMPLE)).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringMatching(/^The connection to the database the test was lost .* idempotency key\.$/),
  });
  await expect(attemptOn(live, SAMPLE, 2)).rejects.toMatchObject({ code: 'unreachable' });
  proxy.mode = 'pass';
  const again = await attemptOn(live, SAMPLE, 3);
  expect(again).toMatchObject({ kind: 'repeated', version: { version: 1 } });
  const elsewhere = await attemptOn(liveOn(await postgresStoreOn(other)), SAMPLE, 4);
  expect(elsewhere).toEqual(again);
  expect(await store.journal(BEGINNING, 9)).toHaveLength(2);
});

it('works on after every connection was cut at once, and fails what was under way by itself', async () => {
  const cut = `SELECT pg_terminate_backend(pid) FROM ${schema.processes}`;
  for (let round = 0; round < 5; round += 1) {
    const writes = Promise.allSettled(
      ['ann', 'ben', 'cat'].map((subject) => write(store, sampleFact('user', subject, `topic-${round}`))),
    );
    await schema.execute(cut);
    const reasons = (await writes).flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
    expect(reasons.filter((code) => code !== 'unreachable')).toEqual([]);
    expect((await write(store, sampleFact('user', 'dan', `topic-${round}`))).version).toBe(1);
  }
  expect(await faultsIn(store)).toEqual([]);
});
