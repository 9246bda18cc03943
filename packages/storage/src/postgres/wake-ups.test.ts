import { sampleFact, write } from '@unsay/live-resources/testing';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { postgresStoreOn, type TemporarySchema, temporarySchema } from '../../testing/open-postgres-store.ts';
import { randomness, sampleProvider } from '../../testing/open-sqlite-store.ts';
import { watchedPool } from '../../testing/watched-pool.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import type { PostgresDatabase } from './database.ts';
import { createPostgresFactStore } from './fact-store.ts';
import { openPostgres } from './open-postgres.ts';
import { openWakeUps, type WakeUps } from './wake-ups.ts';

const clock = { now: () => 0 };
const NEVER = 2 ** 31 - 1;
let schema: TemporarySchema;
let db: PostgresDatabase;
let other: PostgresDatabase;
let opened: WakeUps[];
let sent: number;

beforeEach(async () => {
  schema = await temporarySchema();
  [sent, opened] = [0, []];
  const pool = watchedPool(new Pool({ connectionString: schema.url }), ({ text }) => {
    if (text.includes('pg_notify')) sent += 1;
  });
  db = await openPostgres({ pool, name: 'the test', clock });
  other = await schema.open();
});
afterEach(async () => {
  for (const wakeUps of opened) wakeUps.close();
  await db.close();
  await other.close();
  await schema.close();
});

/** Listens, and gives what resolves once it was woken so many times. */
async function listening(on: PostgresDatabase, parts = {}) {
  let [woken, next] = [0, Promise.withResolvers<void>()];
  const wake = (): void => {
    woken += 1;
    next.resolve();
    next = Promise.withResolvers();
  };
  const wakeUps = await openWakeUps(on, { wake, pollMs: NEVER, groupMs: 5, ...parts });
  opened.push(wakeUps);
  return {
    wakeUps,
    async wokenTimes(count: number): Promise<void> {
      while (woken < count) await next.promise;
    },
  };
}

it('wakes every process after an append of one, which is readable by then', async () => {
  const mine = await listening(db);
  const theirs = await listening(other);
  const keys = await openKeyRing(db, { provider: sampleProvider(), randomness, clock });
  const store = createPostgresFactStore(db, keys, mine.wakeUps.announce);
  const reader = await postgresStoreOn(other);
  for (let round = 1; round <= 3; round += 1) {
    await write(store, sampleFact('user', 'ray', 'walking'));
    await theirs.wokenTimes(round);
    expect(await reader.journalHead()).toBe(round);
  }
});

it('says once what is announced many times, and once more what was announced after that', async () => {
  const { wakeUps } = await listening(db);
  const theirs = await listening(other);
  for (let count = 0; count < 1000; count += 1) wakeUps.announce();
  await theirs.wokenTimes(2);
  expect(sent).toBe(2);
  wakeUps.announce();
  await theirs.wokenTimes(3);
  expect(sent).toBe(3);
});

it('listens again when its connection is cut, and looks for what was said meanwhile', async () => {
  const mine = await listening(db);
  for (let round = 1; round <= 3; round += 1) {
    await schema.execute(
      `SELECT pg_terminate_backend(pid) FROM ${schema.processes} AND query LIKE 'LISTEN%'`,
    );
    await mine.wokenTimes(round);
  }
  const theirs = await listening(other);
  theirs.wakeUps.announce();
  await mine.wokenTimes(4);
  expect(sent).toBe(0);
});

it('looks for what is new now and then, though nobody says anything', async () => {
  const { wokenTimes } = await listening(db, { pollMs: 10 });
  await wokenTimes(2);
  expect(sent).toBe(0);
});
