import type { Account, AccountStore } from '../src/account.ts';
import type { Passkey, PasskeyStore } from '../src/sign-in/passkey-store.ts';

/** Stores that a test can look into; they share accounts and passkeys as one database does. */
export function createMemoryAccountStores() {
  const accounts = new Map<string, Account>();
  const passkeys = new Map<string, Passkey>();

  const accountStore: AccountStore = {
    find: async (id) => accounts.get(id),
    all: async () => [...accounts.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    async save(account) {
      accounts.set(account.id, account);
    },
    async remove(id) {
      accounts.delete(id);
      for (const passkey of passkeys.values()) if (passkey.accountId === id) passkeys.delete(passkey.id);
    },
  };

  const passkeyStore: PasskeyStore = {
    find: async (id) => passkeys.get(id),
    of: async (accountId) => [...passkeys.values()].filter((passkey) => passkey.accountId === accountId),
    async save(passkey) {
      passkeys.set(passkey.id, passkey);
    },
    async remove(id) {
      passkeys.delete(id);
    },
  };

  return { accounts, passkeys, accountStore, passkeyStore };
}
