import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryAccountStores } from '../../testing/memory-account-store.ts';
import { createMemoryRevocationStore } from '../../testing/memory-revocation-store.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { createRevocationRegistry } from '../resource-server/index.ts';
import { createAccounts } from '../sign-in/accounts.ts';
import { rightsLeft } from './rights.ts';

const SCOPES = ['read', 'write'];
const SUBJECTS = ['alpha', 'beta', 'gamma'];

async function createPeople() {
  const clock = createVirtualClock();
  const revocations = createRevocationRegistry(createMemoryRevocationStore(), clock);
  await revocations.load();
  const { accountStore: store } = createMemoryAccountStores();
  return createAccounts({ store, revocations, clock, scopes: SCOPES });
}

const rights = fc.record({ scopes: fc.subarray(SCOPES), subjects: fc.subarray(SUBJECTS) });
// Most take little: where all is taken, nothing of the rest shows.
const change = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('grant' as const, 'narrow' as const), rights }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'remove' as const }) },
  {
    weight: 1,
    arbitrary: fc.constant({ kind: 'narrow' as const, rights: { scopes: [], subjects: ['*'] } }),
  },
);

it('of a consent only what the account has had ever since is left, whatever was taken and given back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 8 }),
      fc.array(change, { maxLength: 8 }),
      rights,
      fc.boolean(),
      async (before, after, asked, isOfAll) => {
        const accounts = await createPeople();
        const carryOut = async (one: (typeof before)[number]): Promise<void> => {
          if (one.kind === 'remove') await accounts.remove('nora');
          else await accounts[one.kind]('nora', one.rights);
        };
        for (const one of before) await carryOut(one);
        await accounts.grant('nora', { scopes: SCOPES, subjects: SUBJECTS });
        const { epoch = 0 } = (await accounts.find('nora')) ?? {};
        const consent = { scopes: asked.scopes, subjects: isOfAll ? ('*' as const) : asked.subjects, epoch };
        const scopes = new Set(asked.scopes);
        const subjects = new Set(isOfAll ? SUBJECTS : asked.subjects);
        for (const one of after) {
          await carryOut(one);
          const taken = one.kind === 'remove' ? { scopes: [], subjects: ['*'] } : one.rights;
          if (one.kind === 'grant') continue;
          for (const scope of taken.scopes) scopes.delete(scope);
          for (const subject of taken.subjects) subject === '*' ? subjects.clear() : subjects.delete(subject);
        }
        const account = await accounts.find('nora');
        const left = account && rightsLeft(consent, account);
        const isNothing = scopes.size === 0 || subjects.size === 0;
        expect(left === undefined).toBe(isNothing);
        if (left === undefined) return;
        expect(left.scopes.toSorted()).toEqual([...scopes].sort());
        expect([...left.subjects].sort()).toEqual([...subjects].sort());
      },
    ),
    { numRuns: 300 },
  );
});

it('of a consent to everyone nothing is left once one was taken, for an account of everyone by now', async () => {
  const accounts = await createPeople();
  await accounts.grant('nora', { scopes: SCOPES, subjects: SUBJECTS });
  const consent = { scopes: SCOPES, subjects: '*' as const, epoch: 0 };
  await accounts.narrow('nora', { subjects: ['beta'] });
  await accounts.grant('nora', { scopes: [], subjects: ['*'] });
  const account = await accounts.find('nora');
  expect(account).toMatchObject({ subjects: '*', epoch: 1 });
  expect(account && rightsLeft(consent, account)).toBeUndefined();
  expect(account && rightsLeft({ ...consent, epoch: 1 }, account)).toMatchObject({ subjects: '*' });
});
