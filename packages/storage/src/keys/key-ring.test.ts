import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { appendOf, faultsIn, sampleFact, versionAfter, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { randomness, sampleProvider, storeOn } from '../../testing/open-sqlite-store.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { type KeyProvider, plaintextProvider } from '../envelope/key-provider.ts';
import { createLocalKeyProvider } from '../envelope/local-key-provider.ts';
import { createSqliteFactStore } from '../sqlite/fact-store.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { awaitsKeys, openKeyRing } from './key-ring.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const RISK = sampleFact('assistant', 'ray', 'risk');
const another = createLocalKeyProvider(randomBytes(32), randomness);
const clock = { now: () => Date.UTC(2026, 0, 5, 9) };

it.each<[string, KeyProvider, KeyProvider]>([
  ['another master key', sampleProvider(), another],
  ['no keys, when it was sealed', sampleProvider(), plaintextProvider],
  ['keys, when it was not sealed', plaintextProvider, sampleProvider()],
])('refuses a store with %s, before anything is served, and changes nothing', async (_what, made, given) => {
  using folder = temporaryFolder();
  const before = openDatabase(folder.path);
  await write(await storeOn(before, made), WALKING);
  before.close();
  const content = (): unknown => {
    const file = new DatabaseSync(join(folder.path, 'unsay.db'), { readOnly: true });
    const all = ['meta', 'data_keys', 'versions'].map((table) =>
      file.prepare(`SELECT * FROM ${table}`).all(),
    );
    file.close();
    return all;
  };
  const [then, db] = [content(), openDatabase(folder.path)];
  await expect(storeOn(db, given)).rejects.toMatchObject({
    code: 'wrong_key',
    message: expect.stringMatching(/^The store .*unsay\.db .*another data folder\.$/),
  });
  db.close();
  expect(content()).toEqual(then);
  const again = openDatabase(folder.path);
  expect(await faultsIn(await storeOn(again, made))).toEqual([]);
  again.close();
});

it('says whether a store is yet to be given its keys, and refuses another provider before a key is made', async () => {
  const db = openDatabase(':memory:');
  expect(await awaitsKeys(db, 'local')).toBe(true);
  await storeOn(db);
  expect(await awaitsKeys(db, 'local')).toBe(false);
  await expect(awaitsKeys(db, 'none')).rejects.toMatchObject({ code: 'wrong_key' });
  db.close();
});

it('has one key for each subject, unwraps it once, and none for a subject without facts', async () => {
  const inner = sampleProvider();
  let unwrapped = 0;
  const counting: KeyProvider = {
    ...inner,
    unwrap(...parameters) {
      unwrapped += 1;
      return inner.unwrap(...parameters);
    },
  };
  using folder = temporaryFolder();
  const before = openDatabase(folder.path);
  const store = await storeOn(before);
  for (const fact of [WALKING, RISK, sampleFact('user', 'eve', 'walking')]) await write(store, fact);
  expect(await store.version(sampleFact('user', 'zed', 'walking'), null)).toBeNull();
  before.close();
  const db = openDatabase(folder.path);
  expect(db.prepare('SELECT subject FROM data_keys ORDER BY subject').all()).toEqual(
    ['', 'eve', 'ray'].map((subject) => ({ subject })),
  );
  const reopened = await storeOn(db, counting);
  expect(unwrapped).toBe(1);
  await Promise.all([WALKING, RISK, WALKING].map((fact) => reopened.version(fact, null)));
  for (let count = 0; count < 5; count += 1) await write(reopened, WALKING);
  expect(unwrapped).toBe(2);
  db.close();
});

it('writes with the key that was saved when two writers have made one for the same subject', async () => {
  const db = openDatabase(':memory:');
  const keys = await openKeyRing(db, { provider: sampleProvider(), randomness, clock });
  const store = createSqliteFactStore(db, keys);
  const versions = [WALKING, RISK].map((fact) => versionAfter({ fact: null, lane: null }, fact));
  let held = 0;
  const late = createSqliteFactStore(db, {
    ...keys,
    async forWriting(subject) {
      const made = await keys.forWriting(subject);
      if (held > 0) return made;
      // Another writer's key is saved while this one was on its way.
      held += 1;
      keys.settle(subject, made, false);
      if (versions[0] !== undefined) await store.append(appendOf(versions[0]));
      return made;
    },
  });
  const outcome = versions[1] && (await late.append(appendOf(versions[1])));
  expect([held, outcome?.kind]).toEqual([1, 'appended']);
  expect(await faultsIn(store)).toEqual([]);
  expect(db.prepare("SELECT count(*) AS n FROM data_keys WHERE subject = 'ray'").get()?.n).toBe(1n);
  db.close();
});

it('asks a provider again that could not be reached, and answers nothing meanwhile', async () => {
  using folder = temporaryFolder();
  const before = openDatabase(folder.path);
  await write(await storeOn(before), WALKING);
  before.close();
  const inner = sampleProvider();
  let reachable = true;
  const provider: KeyProvider = {
    ...inner,
    async unwrap(wrapped, context) {
      if (!reachable) throw new Error('unreachable');
      return inner.unwrap(wrapped, context);
    },
  };
  const db = openDatabase(folder.path);
  const store = await storeOn(db, provider);
  reachable = false;
  for (let count = 0; count < 2; count += 1) {
    await expect(store.version(WALKING, null)).rejects.toThrow('unreachable');
  }
  reachable = true;
  expect((await store.version(WALKING, null))?.version).toBe(1);
  db.close();
});
