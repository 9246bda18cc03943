import { createVirtualClock } from '@unsay/live-resources/testing';
import { describe, expect, it } from 'vitest';
import { ENGINES, onPlace, type Place } from '../../testing/engines.ts';
import { randomness, sampleProvider } from '../../testing/open-sqlite-store.ts';
import { spellingsIn } from '../../testing/spellings.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import { createSessionStore, type KeptSession } from './session-store.ts';

const IDLE = 60_000;
const SESSION: KeptSession = {
  id: 'a-session-of-quince',
  owner: '["ray-the-heron","phone-of-damson"]',
  protocolVersion: '2025-11-25',
  subscriptions: ['fact://ray/mulberry', 'no uri at all, "quoted"'],
  listServed: true,
  resumeFrom: 'token-of-persimmon',
};

async function open(place: Place, clock = createVirtualClock(1_000_000), provider = sampleProvider()) {
  const db = await place.open();
  const keys = await openKeyRing(db, { provider, randomness, clock });
  return { db, clock, sessions: createSessionStore(db, keys, { clock, idleMs: IDLE }) };
}

describe.each(ENGINES)('on $name', (engine) => {
  it('gives back a session as it was last saved, after a restart too, and none that was removed', () =>
    onPlace(engine, async (place) => {
      const first = await open(place);
      await first.sessions.save({ ...SESSION, subscriptions: [] });
      await first.sessions.save(SESSION);
      await first.sessions.save({ ...SESSION, id: 'another', resumeFrom: null, listServed: false });
      await first.db.close();
      const { db, sessions } = await open(place);
      expect(await sessions.load(SESSION.id)).toEqual(SESSION);
      expect(await sessions.load('another')).toEqual({
        ...SESSION,
        id: 'another',
        resumeFrom: null,
        listServed: false,
      });
      expect(await sessions.load('none')).toBeNull();
      await sessions.remove(SESSION.id);
      expect(await sessions.load(SESSION.id)).toBeNull();
      await db.close();
    }));

  it('forgets a session that was idle, and keeps one that was touched', () =>
    onPlace(engine, async (place) => {
      const { db, clock, sessions } = await open(place);
      await sessions.save(SESSION);
      await sessions.save({ ...SESSION, id: 'touched' });
      clock.advance(IDLE / 2);
      await sessions.touch('touched');
      clock.advance(IDLE / 2 + 1);
      expect(await sessions.load(SESSION.id)).toBeNull();
      expect(await sessions.load('touched')).toMatchObject({ id: 'touched' });
      await sessions.save({ ...SESSION, id: 'new' });
      expect(await db.select('SELECT 1 FROM sessions')).toHaveLength(2);
      await db.close();
    }));

  it('holds nothing that identifies, unless it is in plain bytes', () =>
    Promise.all(
      [sampleProvider(), plaintextProvider].map((provider) =>
        onPlace(engine, async (place) => {
          const { db, sessions } = await open(place, createVirtualClock(0), provider);
          await sessions.save(SESSION);
          await db.close();
          const bytes = await place.bytes();
          const found = ['quince', 'heron', 'damson', 'mulberry', 'persimmon'].filter(
            (word) => spellingsIn(bytes, word).length > 0,
          );
          expect(found.length).toBe(provider === plaintextProvider ? 5 : 0);
        }),
      ),
    ));

  it('is damaged for whoever loads a session whose bytes were brought from another', () =>
    onPlace(engine, async (place) => {
      const { db, sessions } = await open(place);
      await sessions.save(SESSION);
      await sessions.save({ ...SESSION, id: 'another' });
      const sql = `UPDATE sessions SET (nonce, tag, commitment, ciphertext) =
        (SELECT nonce, tag, commitment, ciphertext FROM sessions ORDER BY id_index LIMIT 1)`;
      await db.run({ sql, cells: {} });
      const loads = await Promise.allSettled([sessions.load(SESSION.id), sessions.load('another')]);
      expect(loads.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(loads.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'damaged' },
      });
      await db.close();
    }));
});
