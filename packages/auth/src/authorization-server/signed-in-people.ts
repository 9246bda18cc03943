import type { KoaContextWithOIDC, Account as Person } from 'oidc-provider';
import type { Account } from '../account.ts';
import { type ConsentKeeper, type Rights, rightsLeft } from './rights.ts';

export interface SignedInPeople {
  /**
   * The person of an account. With a grant, only while something is left of it: a code or refresh token that gives
   * nothing is as good as one of nobody.
   */
  find(id: string, grantId: string | undefined): Promise<Person | undefined>;
  /** What was left of the grant when the person of this request was found; undefined where there was no grant yet. */
  rightsIn(ctx: KoaContextWithOIDC): Rights | undefined;
}

/** Looks up an account once for each answer, so that all of the answer is about the same state of it. */
export function createSignedInPeople(
  findAccount: (id: string) => Promise<Account | undefined>,
  consents: ConsentKeeper,
): SignedInPeople {
  const rightsOf = new WeakMap<object, Rights>();
  return {
    async find(id, grantId) {
      const account = await findAccount(id);
      if (account === undefined) return undefined;
      const person = { accountId: id, claims: async () => ({ sub: id }) };
      if (grantId === undefined) return person;
      const consent = await consents.find(grantId);
      const rights = consent && rightsLeft(consent, account);
      if (rights === undefined) return undefined;
      rightsOf.set(person, rights);
      return person;
    },
    rightsIn({ oidc: { account } }) {
      return account === undefined ? undefined : rightsOf.get(account);
    },
  };
}
