import { createVirtualClock } from '@unsay/live-resources/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINES, onPlace, type Place } from '../../testing/engines.ts';
import { randomness, sampleProvider } from '../../testing/open-sqlite-store.ts';
import { spellingsIn } from '../../testing/spellings.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import { createAccountStore } from './account-store.ts';
import { createListenerStore } from './listener-store.ts';
import { createOAuthRecordStore, type OAuthRecord } from './oauth-record-store.ts';
import { createOneTimeIds } from './one-time-ids.ts';
import { createPasskeyStore } from './passkey-store.ts';

const START = 1_000_000_000;

async function open(place: Place, provider = sampleProvider(), clock = createVirtualClock(START * 1000)) {
  const db = await place.open();
  const keys = await openKeyRing(db, { provider, randomness, clock });
  return {
    db,
    clock,
    records: createOAuthRecordStore(db, keys, clock),
    accounts: createAccountStore(db, keys),
    passkeys: createPasskeyStore(db, keys),
    listeners: createListenerStore(db, keys),
    ids: createOneTimeIds(db, keys, clock),
  };
}

const record = (change: Partial<OAuthRecord> = {}): OAuthRecord => ({
  content: { payload: 'quince' },
  grantId: undefined,
  uid: undefined,
  expiresAt: undefined,
  ...change,
});
const ANN = {
  id: 'ann-of-damson',
  name: 'Ann Medlar',
  scopes: new Set(['read.mulberry']),
  subjects: new Set(['persimmon']),
  epoch: 3,
};
const PASSKEY = {
  id: 'credential-of-loquat',
  accountId: ANN.id,
  publicKey: new Uint8Array([1, 2, 3]),
  counter: 7,
  transports: ['internal'],
  label: 'key of sloe',
  createdAt: START,
};
const KITCHEN = {
  id: 'a1b2',
  name: 'kitchen of rowan',
  clientId: 'client-of-rowan',
  subject: 'ray',
  enrolledAt: START,
  revokedAt: undefined,
};

describe.each(ENGINES)('on $name', (engine) => {
  describe.each([
    ['sealed', sampleProvider],
    ['plain', () => plaintextProvider],
  ])('what sign-in keeps, %s', (_how, provider) => {
    it('is there after a restart as it was saved', () =>
      onPlace(engine, async (place) => {
        const first = await open(place, provider());
        const whole = record({ grantId: 'grant', uid: 'uid', expiresAt: START + 60 });
        await first.records.save('Code', 'one', whole);
        await first.accounts.save(ANN);
        await first.accounts.save({ ...ANN, id: 'aaa', subjects: '*' });
        await first.passkeys.save(PASSKEY);
        await first.listeners.save(KITCHEN);
        await first.listeners.save({
          ...KITCHEN,
          id: 'c3',
          clientId: 'other',
          enrolledAt: START + 1,
          revokedAt: START + 1,
        });
        expect(await first.ids.use('proof', START + 60)).toBe(true);
        await first.db.close();
        const { db, records, accounts, passkeys, listeners, ids } = await open(place, provider());
        const kept = { ...whole, consumedAt: undefined };
        expect(await records.find('Code', 'one')).toEqual(kept);
        expect(await records.findByUid('Code', 'uid')).toEqual(kept);
        expect(await accounts.find(ANN.id)).toEqual(ANN);
        expect((await accounts.all()).map(({ id }) => id)).toEqual(['aaa', ANN.id]);
        expect(await passkeys.of(ANN.id)).toEqual([PASSKEY]);
        expect(await passkeys.find(PASSKEY.id)).toEqual(PASSKEY);
        expect(await listeners.findByClient('client-of-rowan')).toEqual(KITCHEN);
        expect((await listeners.all()).map(({ revokedAt }) => revokedAt)).toEqual([undefined, START + 1]);
        expect(await ids.use('proof', START + 60)).toBe(false);
        expect(await ids.use('another', START + 60)).toBe(true);
        await db.close();
      }));

    it('is used up by one of two at once, and the first time stays', () =>
      onPlace(engine, async (place) => {
        const { db, records } = await open(place, provider());
        await records.save('RefreshToken', 'one', record());
        const both = await Promise.all(
          [START, START + 5].map((at) => records.consume('RefreshToken', 'one', at)),
        );
        expect(both).toEqual([true, false]);
        expect(await records.find('RefreshToken', 'one')).toMatchObject({ consumedAt: START });
        await records.save('RefreshToken', 'one', record());
        expect(await records.find('RefreshToken', 'one')).toMatchObject({ consumedAt: undefined });
        expect(await records.consume('RefreshToken', 'none', START)).toBe(false);
        await db.close();
      }));

    it('of a person goes with the person', () =>
      onPlace(engine, async (place) => {
        const { db, accounts, passkeys } = await open(place, provider());
        await accounts.save(ANN);
        await accounts.save({ ...ANN, id: 'ben' });
        await passkeys.save(PASSKEY);
        await passkeys.save({ ...PASSKEY, id: 'of ben', accountId: 'ben' });
        await accounts.remove(ANN.id);
        expect(await accounts.find(ANN.id)).toBeUndefined();
        expect(await passkeys.find(PASSKEY.id)).toBeUndefined();
        expect(await passkeys.of('ben')).toHaveLength(1);
        await db.close();
      }));
  });

  it('records do what a map with an end for each would do', async () => {
    const kinds = fc.constantFrom('Code', 'Grant');
    const ids = fc.constantFrom('a', 'b', 'c');
    const maybe = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const step = fc.oneof(
      fc.record({
        do: fc.constant('save' as const),
        kind: kinds,
        id: ids,
        grantId: maybe(['g', 'h']),
        expiresAt: fc.option(fc.integer({ min: START - 2, max: START + 40 }), { nil: undefined }),
      }),
      fc.record({ do: fc.constant('consume' as const), kind: kinds, id: ids }),
      fc.record({ do: fc.constant('remove' as const), kind: kinds, id: ids }),
      fc.record({ do: fc.constant('end' as const), kind: kinds, grantId: fc.constantFrom('g', 'h') }),
      fc.record({ do: fc.constant('wait' as const), seconds: fc.nat(15) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) =>
        onPlace(engine, async (place) => {
          const { db, records, clock } = await open(place);
          const model = new Map<string, OAuthRecord & { consumedAt: number | undefined }>();
          const now = (): number => Math.floor(clock.now() / 1000);
          const present = (key: string) => {
            const kept = model.get(key);
            return kept?.expiresAt !== undefined && kept.expiresAt <= now() ? undefined : kept;
          };
          for (const taken of steps) {
            if (taken.do === 'wait') clock.advance(taken.seconds * 1000);
            if (taken.do === 'end') {
              await records.removeByGrant(taken.kind, taken.grantId);
              for (const [key, { grantId }] of model)
                if (key.startsWith(`${taken.kind} `) && grantId === taken.grantId) model.delete(key);
            }
            if (taken.do === 'wait' || taken.do === 'end') continue;
            const key = `${taken.kind} ${taken.id}`;
            if (taken.do === 'save') {
              const { grantId, expiresAt } = taken;
              const saved = record({ grantId, expiresAt, content: { key } });
              await records.save(taken.kind, taken.id, saved);
              model.set(key, { ...saved, consumedAt: undefined });
            } else if (taken.do === 'remove') {
              await records.remove(taken.kind, taken.id);
              model.delete(key);
            } else {
              const kept = present(key);
              const isFirst = kept !== undefined && kept.consumedAt === undefined;
              expect(await records.consume(taken.kind, taken.id, now())).toBe(isFirst);
              if (isFirst) model.set(key, { ...kept, consumedAt: now() });
            }
            for (const kind of ['Code', 'Grant']) {
              const left = ['a', 'b', 'c'].filter((id) => present(`${kind} ${id}`) !== undefined);
              expect(await records.count(kind)).toBe(left.length);
              for (const id of ['a', 'b', 'c'])
                expect(await records.find(kind, id)).toEqual(present(`${kind} ${id}`));
            }
          }
          await db.close();
        }),
      ),
      { numRuns: engine.runs(32) },
    );
  });

  it('the oldest of a kind go first, by when they were first saved', () =>
    onPlace(engine, async (place) => {
      const { db, records, clock } = await open(place);
      for (const id of ['first', 'second', 'third']) {
        await records.save('Client', id, record());
        clock.advance(1000);
      }
      await records.save('Client', 'first', record());
      await records.save('Grant', 'other', record());
      await records.removeOldest('Client', 2);
      expect(await records.find('Client', 'third')).toBeDefined();
      expect([await records.count('Client'), await records.count('Grant')]).toEqual([1, 1]);
      await db.close();
    }));

  it('the files name nobody and give nobody a secret', () =>
    onPlace(engine, async (place) => {
      const { db, records, accounts, passkeys, listeners, ids } = await open(place);
      const secrets = [
        'code-of-mulberry',
        'grant-of-quince',
        'uid-of-sloe',
        'payload-of-damson',
        'proof-of-plum',
      ];
      const [id = '', grantId = '', uid = '', payload = '', proof = ''] = secrets;
      await records.save('Code', id, record({ grantId, uid, content: { payload } }));
      await accounts.save(ANN);
      await passkeys.save(PASSKEY);
      await listeners.save(KITCHEN);
      await ids.use(proof, START + 60);
      await db.close();
      const bytes = await place.bytes();
      const names = [ANN.id, ANN.name, 'persimmon', 'read.mulberry', PASSKEY.id, PASSKEY.label, KITCHEN.name];
      for (const word of [...secrets, ...names, KITCHEN.clientId])
        expect(spellingsIn(bytes, word)).toEqual([]);
    }));

  it('bytes that were moved to another place or kind open nowhere', () =>
    onPlace(engine, async (place) => {
      const { db, records, accounts, passkeys, listeners } = await open(place);
      await records.save('Code', 'one', record());
      await records.save('Code', 'two', record({ content: { payload: 'other' } }));
      await records.save('Grant', 'one', record());
      await accounts.save(ANN);
      await accounts.save({ ...ANN, id: 'ben' });
      await passkeys.save(PASSKEY);
      await passkeys.save({ ...PASSKEY, id: 'second' });
      await listeners.save(KITCHEN);
      await listeners.save({ ...KITCHEN, id: 'c3', clientId: 'other' });
      const sealed = 'key_id, nonce, tag, commitment, ciphertext';
      for (const table of ['oauth_records', 'accounts', 'passkeys', 'listeners']) {
        // Every row gets the sealed bytes of the next one.
        const sql = `WITH kept AS (SELECT *, row_number() OVER (ORDER BY id_index) AS place, count(*) OVER () AS rows FROM ${table}),
         moved AS (SELECT one.id_index AS at, other.* FROM kept AS one JOIN kept AS other ON other.place = one.place % one.rows + 1)
       UPDATE ${table} SET (${sealed}) = (SELECT ${sealed} FROM moved WHERE at = ${table}.id_index)`;
        await db.run({ sql, cells: {} });
      }
      const damaged = { code: 'damaged' };
      for (const [kind, id] of [
        ['Code', 'one'],
        ['Code', 'two'],
        ['Grant', 'one'],
      ] as const)
        await expect(records.find(kind, id)).rejects.toMatchObject(damaged);
      await expect(accounts.find(ANN.id)).rejects.toMatchObject(damaged);
      await expect(accounts.all()).rejects.toMatchObject(damaged);
      await expect(passkeys.find(PASSKEY.id)).rejects.toMatchObject(damaged);
      await expect(listeners.all()).rejects.toMatchObject(damaged);
      await db.close();
    }));

  it('a record does not outlive its end when the column of it is changed', () =>
    onPlace(engine, async (place) => {
      const { db, records, clock } = await open(place);
      await records.save('Code', 'one', record({ expiresAt: START + 60 }));
      await db.run({ sql: 'UPDATE oauth_records SET expires_at = NULL', cells: {} });
      expect(await records.find('Code', 'one')).toBeDefined();
      clock.advance(60_000);
      expect(await records.find('Code', 'one')).toBeUndefined();
      await db.close();
    }));

  it('an id is remembered for a day past its end, whatever the clock says meanwhile', () =>
    onPlace(engine, async (place) => {
      const { db, ids, clock } = await open(place);
      expect(await ids.use('proof', START + 600)).toBe(true);
      clock.advance((24 * 60 * 60 + 500) * 1000);
      expect(await ids.use('another', START + 600)).toBe(true);
      expect(await ids.use('proof', START + 600)).toBe(false);
      clock.advance(200_000);
      await ids.use('a third', START + 600);
      expect(await db.select('SELECT 1 FROM one_time_ids')).toHaveLength(1);
      await db.close();
    }));
});
