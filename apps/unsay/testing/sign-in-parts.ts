import { createAccounts, type SigningKey } from '@unsay/auth/authorization-server';
import type { RevocationRegistry } from '@unsay/auth/resource-server';
import type { Clock, Randomness } from '@unsay/live-resources';
import {
  createAccountStore,
  createListenerStore,
  createOAuthRecordStore,
  createPasskeyStore,
  openDatabase,
  openKeyRing,
  plaintextProvider,
} from '@unsay/storage';
import { ALL_SCOPES } from '../src/domain/care-partition.ts';
import type { OpenFolder } from '../src/open-folder.ts';
import { createListeners } from '../src/sign-in/listeners.ts';

type SignInParts = Pick<OpenFolder, 'signIn' | 'accounts' | 'listeners' | 'signingKeys' | 'rotateSigningKey'>;

/** What sign-in stands on, empty and in memory, for a folder whose facts are kept elsewhere. */
export async function signInParts(given: {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly revocations: RevocationRegistry;
  readonly signingKey: SigningKey;
}): Promise<SignInParts> {
  const { clock, randomness, revocations, signingKey } = given;
  const database = openDatabase(':memory:');
  const keys = await openKeyRing(database, { provider: plaintextProvider, randomness, clock });
  const accounts = createAccountStore(database, keys);
  const listeners = createListenerStore(database, keys);
  return {
    signingKeys: [signingKey],
    rotateSigningKey: async () => ({ keyId: signingKey.kid, older: 1 }),
    signIn: {
      accounts,
      passkeys: createPasskeyStore(database, keys),
      records: createOAuthRecordStore(database, keys, clock),
      cookieKey: 'a key for cookies of tests',
    },
    accounts: createAccounts({ store: accounts, revocations, clock, scopes: ALL_SCOPES }),
    listeners: createListeners({ store: listeners, revocations, clock, randomness }),
  };
}
