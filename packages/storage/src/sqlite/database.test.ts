import { faultsIn, sampleFact, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { storeOn } from '../../testing/open-sqlite-store.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createSqliteMeta } from './meta.ts';
import { openDatabase } from './open-database.ts';

const WALKING = sampleFact('user', 'ray', 'walking');

it('rolls back everything of a transaction that throws, and stays usable', () => {
  const db = openDatabase(':memory:');
  const meta = createSqliteMeta(db);
  meta.set('a', 'before');
  const failing = (): never =>
    db.write(() => {
      db.prepare("UPDATE meta SET value = x'00' WHERE key = 'a'").run();
      throw new Error('half way');
    });
  expect(failing).toThrow('half way');
  expect(meta.get('a')).toBe('before');
  meta.set('a', 'after');
  expect(meta.get('a')).toBe('after');
  db.close();
});

it('says that there is no room, keeps what it had, and goes on once there is', async () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  const store = await storeOn(db);
  await write(store, WALKING);
  const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
  db.prepare(`PRAGMA max_page_count = ${pages + 1}`).get();
  await expect(write(store, WALKING, { value: 'x'.repeat(100_000) })).rejects.toMatchObject({ code: 'full' });
  expect(await store.journalHead()).toBe(1);
  expect(await faultsIn(store)).toEqual([]);
  db.prepare(`PRAGMA max_page_count = ${pages + 1000}`).get();
  await write(store, WALKING, { value: 'x'.repeat(100_000) });
  expect(await faultsIn(store)).toEqual([]);
  db.close();
});

it('refuses a text that has no UTF-8 bytes, and writes nothing of it', async () => {
  const db = openDatabase(':memory:');
  const meta = createSqliteMeta(db);
  await expect(meta.set('a', 'half a pair: \ud83d')).rejects.toThrow('lone surrogate');
  expect(meta.get('a')).toBeNull();
  db.close();
});
