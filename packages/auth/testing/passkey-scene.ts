import { createRevocationRegistry } from '../src/resource-server/index.ts';
import { createAccounts } from '../src/sign-in/accounts.ts';
import { createPasskeys } from '../src/sign-in/passkeys.ts';
import { createCountingRandomness } from './counting-randomness.ts';
import { createMemoryAccountStores } from './memory-account-store.ts';
import { createMemoryRevocationStore } from './memory-revocation-store.ts';
import { createSoftwareAuthenticator, type Misbehaviour } from './software-authenticator.ts';
import { createVirtualClock } from './virtual-clock.ts';

export const RP_ID = 'unsay.example';
export const ORIGIN = 'https://unsay.example';

export type PasskeyScene = Awaited<ReturnType<typeof createPasskeyScene>>;

/** A site with two people, `nora` and `ben`, and no passkey yet. */
export async function createPasskeyScene() {
  const clock = createVirtualClock();
  const stores = createMemoryAccountStores();
  const revocations = createRevocationRegistry(createMemoryRevocationStore(), clock);
  await revocations.load();
  const accounts = createAccounts({ store: stores.accountStore, revocations, clock, scopes: ['notes.read'] });
  for (const id of ['nora', 'ben']) await accounts.grant(id, { scopes: ['notes.read'], subjects: ['alpha'] });
  const passkeys = createPasskeys({
    rpId: RP_ID,
    rpName: 'Unsay',
    origin: ORIGIN,
    accounts,
    store: stores.passkeyStore,
    clock,
    randomness: createCountingRandomness(),
  });

  async function enrolmentOptions(accountId: string) {
    const start = await passkeys.beginEnrolment(accountId);
    if (start.kind === 'refused') throw new Error(start.reason);
    return start.options;
  }

  return {
    clock,
    ...stores,
    accounts,
    passkeys,
    enrolmentOptions,
    /** Begins and ends an enrolment. */
    async enrol(
      accountId: string,
      authenticator = createSoftwareAuthenticator(ORIGIN),
      how: Misbehaviour = {},
    ) {
      const options = await enrolmentOptions(accountId);
      return await passkeys.enrol(accountId, authenticator.create(options, how), 'phone');
    },
    /** Begins and ends a sign-in in the same interaction. */
    async signIn(authenticator: ReturnType<typeof createSoftwareAuthenticator>, how: Misbehaviour = {}) {
      const options = await passkeys.beginSignIn('interaction');
      return await passkeys.signIn('interaction', authenticator.get(options, how));
    },
  };
}
