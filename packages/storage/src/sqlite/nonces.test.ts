import { later, nonceOf, START } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { createNonces } from './nonces.ts';
import { openDatabase } from './open-database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

it('forgets what ended more than a day ago, a few at each use', () => {
  const db = openDatabase(':memory:');
  const nonces = createNonces(db);
  const rows = (): number => Number(db.prepare('SELECT count(*) AS n FROM nonces').get()?.n);
  for (let count = 0; count < 40; count += 1) nonces.use(nonceOf(`old-${count}`, START), START);
  expect(rows()).toBe(40);
  const dayAfter = later(START, DAY_MS + 5 * 60_000);
  nonces.use(nonceOf('new-0', dayAfter), dayAfter);
  expect(rows()).toBe(41);
  for (const [count, left] of [26, 11, 4, 5].entries()) {
    const at = later(dayAfter, 1 + count);
    nonces.use(nonceOf(`new-${count + 1}`, at), at);
    expect(rows()).toBe(left);
  }
  expect(nonces.used(nonceOf('new-0', dayAfter))).toBe(true);
  db.close();
});

it('counts what it may have forgotten as used, so that a clock set back makes no old signature good', () => {
  const db = openDatabase(':memory:');
  const nonces = createNonces(db);
  nonces.use(nonceOf('old', START), START);
  const dayAfter = later(START, DAY_MS + 6 * 60_000);
  nonces.use(nonceOf('new', dayAfter), dayAfter);
  expect(db.prepare("SELECT count(*) AS n FROM nonces WHERE id = 'old'").get()?.n).toBe(0n);
  expect(nonces.used(nonceOf('old', START))).toBe(true);
  expect(nonces.used(nonceOf('another', later(START, 1000)))).toBe(false);
  db.close();
});
