import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createRevocationStore } from '../stores/revocation-store.ts';
import { openDatabase } from './open-database.ts';

const DAY = 24 * 60 * 60;

it('keeps a revocation through close and open, and until a day after the token ended', async () => {
  using folder = temporaryFolder();
  const before = openDatabase(folder.path);
  await createRevocationStore(before).add('aa', 1000);
  before.close();
  const db = openDatabase(folder.path);
  const store = createRevocationStore(db);
  await store.add('bb', 5000);
  const all = async (now: number): Promise<unknown[]> => [...(await store.all(now))];
  expect(await all(1000 + DAY)).toEqual([
    { tokenHash: 'aa', expiresAt: 1000 },
    { tokenHash: 'bb', expiresAt: 5000 },
  ]);
  expect(await all(1001 + DAY)).toEqual([{ tokenHash: 'bb', expiresAt: 5000 }]);
  expect(await all(0)).toEqual([{ tokenHash: 'bb', expiresAt: 5000 }]);
  db.close();
});

it('keeps the later end of a token that is revoked twice', async () => {
  const db = openDatabase(':memory:');
  const store = createRevocationStore(db);
  for (const expiresAt of [2000, 3000, 1000]) await store.add('aa', expiresAt);
  expect([...(await store.all(0))]).toEqual([{ tokenHash: 'aa', expiresAt: 3000 }]);
  db.close();
});
