import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVirtualClock } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { randomness, sampleProvider } from '../../testing/open-sqlite-store.ts';
import { spellingsIn } from '../../testing/spellings.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import { createSessionStore, type KeptSession } from '../stores/session-store.ts';
import { openDatabase } from './open-database.ts';

const IDLE = 60_000;
const SESSION: KeptSession = {
  id: 'a-session-of-quince',
  owner: '["ray-the-heron","phone-of-damson"]',
  protocolVersion: '2025-11-25',
  subscriptions: ['fact://ray/mulberry', 'no uri at all, "quoted"'],
  listServed: true,
  resumeFrom: 'token-of-persimmon',
};

async function open(folder: string, clock = createVirtualClock(1_000_000), provider = sampleProvider()) {
  const db = openDatabase(folder);
  const keys = await openKeyRing(db, { provider, randomness, clock });
  return { db, clock, sessions: createSessionStore(db, keys, { clock, idleMs: IDLE }) };
}

it('gives back a session as it was last saved, after a restart too, and none that was removed', async () => {
  using folder = temporaryFolder();
  const first = await open(folder.path);
  await first.sessions.save({ ...SESSION, subscriptions: [] });
  await first.sessions.save(SESSION);
  await first.sessions.save({ ...SESSION, id: 'another', resumeFrom: null, listServed: false });
  first.db.close();
  const { db, sessions } = await open(folder.path);
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
  db.close();
});

it('forgets a session that was idle, and keeps one that was touched', async () => {
  const { db, clock, sessions } = await open(':memory:');
  await sessions.save(SESSION);
  await sessions.save({ ...SESSION, id: 'touched' });
  clock.advance(IDLE / 2);
  await sessions.touch('touched');
  clock.advance(IDLE / 2 + 1);
  expect(await sessions.load(SESSION.id)).toBeNull();
  expect(await sessions.load('touched')).toMatchObject({ id: 'touched' });
  await sessions.save({ ...SESSION, id: 'new' });
  expect(db.prepare('SELECT count(*) AS rows FROM sessions').get()).toEqual({ rows: 2n });
  db.close();
});

it('holds nothing that identifies, unless it is in plain bytes', async () => {
  for (const provider of [sampleProvider(), plaintextProvider]) {
    using folder = temporaryFolder();
    const { db, sessions } = await open(folder.path, createVirtualClock(0), provider);
    await sessions.save(SESSION);
    db.close();
    const bytes = Buffer.concat(
      readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name))),
    );
    const found = ['quince', 'heron', 'damson', 'mulberry', 'persimmon'].filter(
      (word) => spellingsIn(bytes, word).length > 0,
    );
    expect(found.length).toBe(provider === plaintextProvider ? 5 : 0);
  }
});

it('is damaged for whoever loads a session whose bytes were brought from another', async () => {
  const { db, sessions } = await open(':memory:');
  await sessions.save(SESSION);
  await sessions.save({ ...SESSION, id: 'another' });
  db.write(() =>
    db
      .prepare(`UPDATE sessions SET (nonce, tag, commitment, ciphertext) =
        (SELECT nonce, tag, commitment, ciphertext FROM sessions ORDER BY id_index LIMIT 1)`)
      .run(),
  );
  const loads = await Promise.allSettled([sessions.load(SESSION.id), sessions.load('another')]);
  expect(loads.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(loads.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'damaged' } });
  db.close();
});
