import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TemporarySchema, temporarySchema } from '../../testing/open-postgres-store.ts';
import { randomness, sampleProvider } from '../../testing/open-sqlite-store.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import type { PostgresDatabase } from './database.ts';
import { createSharedWindow, type SharedWindow } from './shared-windows.ts';

const HOUR = 3_600_000;

let schema: TemporarySchema;
const databases: PostgresDatabase[] = [];

beforeAll(async () => {
  schema = await temporarySchema();
  databases.push(await schema.open(), await schema.open());
});
afterAll(async () => {
  for (const db of databases) await db.close();
  await schema.close();
});

/** The same limit on two servers. */
function onBoth(kind: string, limit: number, windowMs = HOUR): Promise<SharedWindow[]> {
  return Promise.all(
    databases.map(async (db) => {
      const keys = await openKeyRing(db, { provider: sampleProvider(), randomness, clock: { now: () => 0 } });
      return createSharedWindow(db, keys, { kind, limit, windowMs });
    }),
  );
}

it('takes in as many as may come, of those that come to two servers at once, and no more', async () => {
  const windows = await onBoth('burst', 30);
  const waits = await Promise.all(Array.from({ length: 45 }, (_, n) => windows[n % 2]?.take('ann')));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(30);
  const refused = waits.filter((wait) => wait !== 0);
  expect(refused).toHaveLength(15);
  for (const wait of refused) {
    expect(wait).toBeGreaterThan(HOUR - 60_000);
    expect(wait).toBeLessThanOrEqual(HOUR);
  }
});

it('tells keys and limits apart, and keeps no name in clear', async () => {
  const [one] = await onBoth('requests', 1);
  const [other] = await onBoth('writes', 1);
  for (const key of ['ann', 'ben', '', 'ann\u0000ben']) expect(await one?.take(key)).toBe(0);
  expect(await other?.take('ann')).toBe(0);
  for (const window of [one, other]) expect(await window?.take('ann')).toBeGreaterThan(0);
  const rows = await schema.execute('SELECT * FROM limit_windows');
  expect(rows.length).toBeGreaterThan(4);
  expect(JSON.stringify(rows)).not.toContain('ann');
  expect(rows.some(({ key_index: index }) => Buffer.from(index as Uint8Array).includes('ann'))).toBe(false);
});

it('has room again for what is over, by the clock of the database, and forgets who has nothing left', async () => {
  const [window] = await onBoth('over', 2);
  for (const _time of [1, 2]) expect(await window?.take('ann')).toBe(0);
  expect(await window?.take('ann')).toBeGreaterThan(0);
  const back = (microseconds: number) =>
    schema.execute(`UPDATE limit_windows SET ends_at = ends_at - ${microseconds},
      times = ARRAY(SELECT at - ${microseconds} FROM unnest(times) AS at) WHERE kind = 'over'`);
  await back(HOUR * 500);
  expect(await window?.take('ann')).toBeLessThanOrEqual(HOUR / 2);
  await back(HOUR * 500);
  expect(await window?.take('ann')).toBe(0);
  await back(HOUR * 1000);
  for (let n = 0; n < 64; n += 1) await window?.take('ben');
  const left = await schema.execute(`SELECT count(*)::int AS keys FROM limit_windows WHERE kind = 'over'`);
  expect(left).toEqual([{ keys: 1 }]);
});
