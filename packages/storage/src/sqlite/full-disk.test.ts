import type { PublishOutcome } from '@unsay/live-resources';
import {
  attempt,
  everythingIn,
  faultsIn,
  later,
  nonceOf,
  START,
  sampleFact,
  write,
} from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { storeOn } from '../../testing/open-sqlite-store.ts';
import { attemptOn, heldOf, liveOn, PUBLICATIONS, publishOn } from '../../testing/publications.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { SqliteDatabase } from './database.ts';
import { openDatabase } from './open-database.ts';

const FULL = { code: 'full', message: expect.stringContaining('Free some space') };

/** The store may grow by so many pages of 4096 bytes and no more, as on a disk with that much room. */
function roomFor(db: SqliteDatabase, pages: number): void {
  const used = Number(db.prepare('PRAGMA page_count').get()?.page_count);
  db.prepare(`PRAGMA max_page_count = ${used + pages}`).get();
}

it('writes nothing of a publication that does not fit, wherever it stops, and all of it once there is room', async () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  const store = await storeOn(db);
  const live = liveOn(store);
  await write(store, sampleFact('user', 'ray', 'walking'));
  await store.countRefusal(attempt(START));
  let refused = 0;
  for (const sample of PUBLICATIONS) {
    const before = JSON.stringify(await everythingIn(store));
    for (let pages = 0; ; pages += 1) {
      roomFor(db, pages);
      const failure: unknown = await publishOn(live, sample).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) break;
      refused += 1;
      expect(failure).toMatchObject(FULL);
      expect(JSON.stringify(await everythingIn(store))).toBe(before);
      // The very same publication follows, so its nonce and its request were not used up.
    }
    expect(await heldOf(store, sample)).toBe('all');
    expect(await faultsIn(store)).toEqual([]);
  }
  expect(refused).toBeGreaterThan(3);
  db.close();

  const again = openDatabase(folder.path);
  expect(await faultsIn(await storeOn(again))).toEqual([]);
  again.close();
});

it('answers each of many writers at once, those who fit and those who do not, and the rest once there is room', async () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  const store = await storeOn(db);
  const live = liveOn(store);
  const samples = Array.from({ length: 24 }, (_, index) => {
    return {
      name: `writer ${index}`,
      uri: `fact://mia/topic-${index}`,
      value: 'Said at length. '.repeat(100),
    };
  });
  const all = (): Promise<PromiseSettledResult<PublishOutcome>[]> =>
    Promise.allSettled(samples.map((sample) => attemptOn(live, sample)));
  roomFor(db, 4);
  const first = await all();
  const written = first.filter((result) => result.status === 'fulfilled');
  for (const { value } of written) expect(value.kind).toBe('published');
  for (const result of first) if (result.status === 'rejected') expect(result.reason).toMatchObject(FULL);
  expect(written.length).toBeLessThan(samples.length);
  expect(await store.journalHead()).toBe(written.length);
  expect(await faultsIn(store)).toEqual([]);
  roomFor(db, 1000);
  const second = (await all()).map((result) => result.status === 'fulfilled' && result.value.kind);
  expect(second).toEqual(first.map(({ status }) => (status === 'fulfilled' ? 'replayed' : 'published')));
  expect(await store.journalHead()).toBe(samples.length);
  db.close();
});

it('records no refusal that does not fit, nor uses its signature up, and goes on with the log afterwards', async () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  const store = await storeOn(db);
  roomFor(db, 0);
  let rows = 0;
  const record = async (): Promise<unknown> =>
    store
      .record(attempt(later(START, rows)), nonceOf(`signature ${rows}`, START))
      .catch((error: unknown) => error);
  let outcome = await record();
  for (; outcome === 'recorded'; outcome = await record()) rows += 1;
  expect(outcome).toMatchObject(FULL);
  expect(rows).toBeGreaterThan(0);
  expect((await store.audit(0, 1000)).rows).toHaveLength(rows);
  roomFor(db, 100);
  expect(await record()).toBe('recorded');
  expect(await record()).toBe('replayed');
  expect((await store.audit(0, 1000)).rows).toHaveLength(rows + 1);
  expect(await faultsIn(store)).toEqual([]);
  db.close();
});
