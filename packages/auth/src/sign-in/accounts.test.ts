import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryAccountStores } from '../../testing/memory-account-store.ts';
import { createMemoryRevocationStore } from '../../testing/memory-revocation-store.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import type { AccountStore } from '../account.ts';
import {
  createRevocationRegistry,
  type RevocationRegistry,
  revocationKey,
} from '../resource-server/index.ts';
import { type Accounts, createAccounts } from './accounts.ts';

const SCOPES = ['notes.read', 'notes.write', 'notes.audit'];
let clock: VirtualClock;
let stores: ReturnType<typeof createMemoryAccountStores>;
let kept: ReturnType<typeof createMemoryRevocationStore>;
let revocations: RevocationRegistry;
let accounts: Accounts;

beforeEach(async () => {
  clock = createVirtualClock();
  stores = createMemoryAccountStores();
  kept = createMemoryRevocationStore();
  revocations = createRevocationRegistry(kept, clock);
  await revocations.load();
  accounts = accountsOver(stores.accountStore);
});

function accountsOver(store: AccountStore): Accounts {
  return createAccounts({ store, revocations, clock, scopes: SCOPES });
}

function isEnded(id: string, epoch: number): boolean {
  return revocations.isRevoked(revocationKey.accountEpoch(id, epoch));
}

const BOTH = { scopes: ['notes.read', 'notes.write'], subjects: ['alpha', 'beta'] };

describe('a grant', () => {
  it('makes an account that is called by its id until it has a name', async () => {
    expect(await accounts.grant('nora', BOTH)).toEqual({
      kind: 'changed',
      account: {
        id: 'nora',
        name: 'nora',
        scopes: new Set(BOTH.scopes),
        subjects: new Set(BOTH.subjects),
        epoch: 0,
      },
    });
    await accounts.grant('nora', { name: 'Nora B.', scopes: [], subjects: [] });
    await accounts.grant('nora', { scopes: [], subjects: [] });
    expect(await accounts.find('nora')).toMatchObject({ name: 'Nora B.', scopes: new Set(BOTH.scopes) });
  });

  it('adds to what an account has, and leaves its tokens alone', async () => {
    await accounts.grant('nora', BOTH);
    await accounts.grant('nora', { scopes: ['notes.audit'], subjects: ['gamma'] });
    expect(await accounts.find('nora')).toMatchObject({
      scopes: new Set(SCOPES),
      subjects: new Set(['alpha', 'beta', 'gamma']),
      epoch: 0,
    });
    expect(kept.kept.size).toBe(0);
  });

  it('of every subject takes in all others, before and after', async () => {
    await accounts.grant('nora', BOTH);
    await accounts.grant('nora', { scopes: [], subjects: ['gamma', '*'] });
    expect(await accounts.find('nora')).toMatchObject({ subjects: '*' });
    await accounts.grant('nora', { scopes: [], subjects: ['delta'] });
    expect(await accounts.find('nora')).toMatchObject({ subjects: '*' });
  });

  it.each([
    ['invalid_id', '', {}],
    ['invalid_id', 'no\nra', {}],
    ['invalid_id', 'n'.repeat(1101), {}],
    ['unknown_scope', 'nora', { scopes: ['notes.read', 'notes.erase'] }],
    ['unknown_scope', 'nora', { scopes: ['notes.read notes.write'] }],
    ['invalid_subject', 'nora', { subjects: ['Alpha'] }],
    ['invalid_subject', 'nora', { subjects: ['**'] }],
    ['invalid_name', 'nora', { name: '' }],
    ['invalid_name', 'nora', { name: 'Nora\u202e' }],
    ['invalid_name', 'nora', { name: 'n'.repeat(65) }],
    ['too_many_rights', 'nora', { subjects: Array.from({ length: 60 }, (_, n) => `${n}`.padEnd(64, 'x')) }],
  ])('is refused as %s', async (fault, id, change) => {
    expect(await accounts.grant(id, { ...BOTH, ...change })).toEqual({ kind: 'refused', fault });
    expect(stores.accounts.size).toBe(0);
  });

  it('does not add up to more than a token can carry', async () => {
    const subjects = Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(64, 'x'));
    expect(await accounts.grant('nora', { scopes: [], subjects })).toMatchObject({ kind: 'changed' });
    const more = subjects.map((subject) => `y${subject.slice(1)}`);
    const refused = { kind: 'refused', fault: 'too_many_rights' };
    expect(await accounts.grant('nora', { scopes: [], subjects: more })).toEqual(refused);
    expect(await accounts.find('nora')).toMatchObject({ subjects: new Set(subjects) });
  });
});

describe('narrowing', () => {
  beforeEach(async () => {
    await accounts.grant('nora', BOTH);
    await accounts.grant('ben', BOTH);
  });

  it('takes away and ends the tokens that carried more, and no others', async () => {
    expect(await accounts.narrow('nora', { subjects: ['beta'] })).toMatchObject({
      kind: 'changed',
      account: { scopes: new Set(BOTH.scopes), subjects: new Set(['alpha']), epoch: 1 },
    });
    expect([isEnded('nora', 0), isEnded('nora', 1), isEnded('ben', 0)]).toEqual([true, false, false]);
    await accounts.narrow('nora', { scopes: ['notes.write'] });
    expect(await accounts.find('nora')).toMatchObject({ scopes: new Set(['notes.read']), epoch: 2 });
    expect([isEnded('nora', 1), isEnded('nora', 2)]).toEqual([true, false]);
  });

  it('holds after a restart, for longer than any token lives', async () => {
    await accounts.narrow('nora', { subjects: ['beta'] });
    clock.advanceSeconds(3600 + 300);
    const restarted = createRevocationRegistry(kept, clock);
    await restarted.load();
    expect(restarted.isRevoked(revocationKey.accountEpoch('nora', 0))).toBe(true);
  });

  it('of what is not there ends no token', async () => {
    const outcome = await accounts.narrow('nora', { scopes: ['notes.audit'], subjects: ['gamma'] });
    expect(outcome).toMatchObject({ kind: 'unchanged', account: { epoch: 0 } });
    expect(await accounts.narrow('nora', {})).toMatchObject({ kind: 'unchanged' });
    expect(kept.kept.size).toBe(0);
  });

  it('by every subject leaves none', async () => {
    await accounts.narrow('nora', { subjects: ['*'] });
    expect(await accounts.find('nora')).toMatchObject({ subjects: new Set(), epoch: 1 });
  });

  it('cannot take one subject from whoever has them all', async () => {
    await accounts.grant('nora', { scopes: [], subjects: ['*'] });
    const refused = { kind: 'refused', fault: 'one_of_every_subject' };
    expect(await accounts.narrow('nora', { subjects: ['alpha'] })).toEqual(refused);
    expect(await accounts.narrow('nora', { scopes: ['notes.write'] })).toMatchObject({
      account: { subjects: '*' },
    });
    expect(await accounts.narrow('nora', { subjects: ['*'] })).toMatchObject({
      account: { subjects: new Set() },
    });
  });

  it('is refused for what cannot be a right, and for nobody', async () => {
    expect(await accounts.narrow('nora', { scopes: ['notes.erase'] })).toMatchObject({
      fault: 'unknown_scope',
    });
    expect(await accounts.narrow('nora', { subjects: ['A'] })).toMatchObject({ fault: 'invalid_subject' });
    expect(await accounts.narrow('zoe', { subjects: ['alpha'] })).toEqual({ kind: 'no_account' });
  });

  it('ends the tokens before it saves, so that a crash between refuses too much; trying again completes it', async () => {
    let isBroken = true;
    const broken = accountsOver({
      ...stores.accountStore,
      async save(account) {
        expect(kept.kept.has(revocationKey.accountEpoch('nora', 0))).toBe(true);
        if (isBroken) throw new Error('disk full');
        await stores.accountStore.save(account);
      },
    });
    await expect(broken.narrow('nora', { subjects: ['beta'] })).rejects.toThrow('disk full');
    expect(isEnded('nora', 0)).toBe(true);
    isBroken = false;
    expect(await broken.narrow('nora', { subjects: ['beta'] })).toMatchObject({ account: { epoch: 1 } });
  });

  it('that is completed late ends what was made in between, for as long as that could live', async () => {
    await revocations.revokeKey(revocationKey.accountEpoch('nora', 0), clock.now() / 1000 + 7200);
    clock.advanceSeconds(7000);
    await accounts.narrow('nora', { subjects: ['beta'] });
    clock.advanceSeconds(3600 + 300);
    const restarted = createRevocationRegistry(kept, clock);
    await restarted.load();
    expect(restarted.isRevoked(revocationKey.accountEpoch('nora', 0))).toBe(true);
  });

  it('that was not completed leaves an account that a grant brings back to life', async () => {
    await revocations.revokeKey(revocationKey.accountEpoch('nora', 0), clock.now() / 1000 + 7200);
    expect(await accounts.grant('nora', { scopes: [], subjects: [] })).toMatchObject({
      account: { epoch: 1 },
    });
  });
});

describe('removal', () => {
  it('ends the tokens and forgets the account with its passkeys', async () => {
    await accounts.grant('nora', BOTH);
    await stores.passkeyStore.save({
      id: 'key',
      accountId: 'nora',
      publicKey: new Uint8Array(),
      counter: 0,
      transports: [],
      label: 'phone',
      createdAt: 0,
    });
    expect(await accounts.remove('nora')).toBe(true);
    expect(isEnded('nora', 0)).toBe(true);
    expect(await accounts.find('nora')).toBeUndefined();
    expect(stores.passkeys.size).toBe(0);
    expect(await accounts.remove('nora')).toBe(false);
  });

  it('leaves the tokens dead when an account of the same id is made, also by another node', async () => {
    await accounts.grant('nora', BOTH);
    await accounts.narrow('nora', { subjects: ['beta'] });
    await accounts.remove('nora');
    expect(await accounts.grant('nora', BOTH)).toMatchObject({ account: { epoch: 2 } });
    await accounts.remove('nora');
    const elsewhere = createRevocationRegistry(kept, clock);
    await elsewhere.load();
    const other = createAccounts({
      store: stores.accountStore,
      revocations: elsewhere,
      clock,
      scopes: SCOPES,
    });
    expect(await other.grant('nora', BOTH)).toMatchObject({ account: { epoch: 3 } });
    await other.remove('nora');
    expect(await accounts.grant('nora', BOTH)).toMatchObject({ account: { epoch: 4 } });
  });
});

it('narrowing passes over an epoch that ended in an earlier life of the account', async () => {
  await accounts.grant('nora', BOTH);
  await revocations.revokeKey(revocationKey.accountEpoch('nora', 1), clock.now() / 1000 + 7200);
  expect(await accounts.narrow('nora', { subjects: ['beta'] })).toMatchObject({ account: { epoch: 2 } });
});

describe('changes at once', () => {
  it('are all there in the end, whatever their order', async () => {
    const change = fc.record({
      kind: fc.constantFrom('grant', 'narrow'),
      scopes: fc.subarray(SCOPES),
      subjects: fc.subarray(['alpha', 'beta', 'gamma']),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        await accounts.remove('nora');
        await accounts.grant('nora', BOTH);
        const scopes = new Set(BOTH.scopes);
        const subjects = new Set(BOTH.subjects);
        for (const { kind, ...rights } of changes) {
          for (const scope of rights.scopes) kind === 'grant' ? scopes.add(scope) : scopes.delete(scope);
          for (const one of rights.subjects) kind === 'grant' ? subjects.add(one) : subjects.delete(one);
        }
        await Promise.all(changes.map(({ kind, ...rights }) => accounts[kind as 'grant'](`nora`, rights)));
        expect(await accounts.find('nora')).toMatchObject({ scopes, subjects });
      }),
      { numRuns: 50 },
    );
  });

  it('hold the account for work that must not see it change', async () => {
    await accounts.grant('nora', BOTH);
    const steps: string[] = [];
    const gate = Promise.withResolvers<void>();
    const held = accounts.hold('nora', async ({ id }) => {
      await gate.promise;
      steps.push(`worked for ${id}`);
    });
    const removed = accounts.remove('nora').then(() => steps.push('removed'));
    await accounts.grant('ben', BOTH);
    expect(steps).toEqual([]);
    gate.resolve();
    await Promise.all([held, removed]);
    expect(steps).toEqual(['worked for nora', 'removed']);
    expect(await accounts.hold('nora', async () => 'worked')).toBeUndefined();
  });

  it('go on after one that failed', async () => {
    await accounts.grant('nora', BOTH);
    const failed = accounts.hold('nora', () => Promise.reject(new Error('no')));
    const next = accounts.hold('nora', async () => 'worked');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('worked');
  });
});
