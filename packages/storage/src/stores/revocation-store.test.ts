import { describe, expect, it } from 'vitest';
import { ENGINES, onPlace } from '../../testing/engines.ts';
import { createRevocationStore } from './revocation-store.ts';

const DAY = 24 * 60 * 60;

describe.each(ENGINES)('on $name', (engine) => {
  it('keeps a revocation through close and open, and until a day after the token ended', () =>
    onPlace(engine, async (place) => {
      const before = await place.open();
      await createRevocationStore(before).add('aa', 1000);
      await before.close();
      const db = await place.open();
      const store = createRevocationStore(db);
      await store.add('bb', 5000);
      const all = async (now: number): Promise<unknown[]> => [...(await store.all(now))];
      expect(await all(1000 + DAY)).toEqual([
        { tokenHash: 'aa', expiresAt: 1000 },
        { tokenHash: 'bb', expiresAt: 5000 },
      ]);
      expect(await all(1001 + DAY)).toEqual([{ tokenHash: 'bb', expiresAt: 5000 }]);
      expect(await all(0)).toEqual([{ tokenHash: 'bb', expiresAt: 5000 }]);
      await db.close();
    }));

  it('keeps the later end of a token that is revoked twice', () =>
    onPlace(engine, async (place) => {
      const db = await place.open();
      const store = createRevocationStore(db);
      for (const expiresAt of [2000, 3000, 1000]) await store.add('aa', expiresAt);
      expect([...(await store.all(0))]).toEqual([{ tokenHash: 'aa', expiresAt: 3000 }]);
      await db.close();
    }));
});
