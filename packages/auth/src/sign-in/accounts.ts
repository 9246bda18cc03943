import { EVERY_SUBJECT, isIdentifier, isSubjectId } from '../access-token-format.ts';
import type { Account, AccountStore, LostRights } from '../account.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import { type RevocationRegistry, revocationKey } from '../resource-server/index.ts';
import { isDisplayText } from './display-text.ts';
import { createTurns } from './turns.ts';

const MAX_ID_LENGTH = 1100;
/** The rights of an account in bytes of JSON: what a token can carry, with room for its other claims. */
const MAX_RIGHTS_BYTES = 3072;
/** As long as a token of the account, or a grant, can live, and an hour for one that is just being made. */
const REVOKED_FOR_SECONDS = 31_536_000 + 3600;

export type AccountFault =
  | 'invalid_id'
  | 'invalid_name'
  /** Not one of the application's. */
  | 'unknown_scope'
  | 'invalid_subject'
  /** More than a token can carry. */
  | 'too_many_rights'
  /** Who may act for every subject cannot lose one of them: take away `*`, then grant the others. */
  | 'one_of_every_subject';

export type AccountChange =
  | { readonly kind: 'changed' | 'unchanged'; readonly account: Account }
  | { readonly kind: 'no_account' }
  | { readonly kind: 'refused'; readonly fault: AccountFault };

export interface AccountRights {
  readonly scopes: readonly string[];
  /** Subject ids, or `*` for every subject. */
  readonly subjects: readonly string[];
}

export interface AccountsOptions {
  readonly store: AccountStore;
  readonly revocations: RevocationRegistry;
  readonly clock: Clock;
  /** All the scopes that an account can have. */
  readonly scopes: readonly string[];
}

/** People who may sign in and what they may do. One process changes the accounts of a store. */
export interface Accounts {
  find(id: string): Promise<Account | undefined>;
  all(): Promise<readonly Account[]>;
  /**
   * Makes the account, or adds rights to it; tokens that are out stay as they are. A name is needed by neither: a new
   * account is called by its id. Every scope then holds for every subject, old and new. Never `no_account`.
   */
  grant(id: string, rights: AccountRights & { readonly name?: string | undefined }): Promise<AccountChange>;
  /**
   * Takes rights away. When the promise resolves, no token of the account counts any more, here or after a restart.
   * Rejects when a store fails: the tokens are then refused already, and the same call completes it.
   */
  narrow(id: string, rights: Partial<AccountRights>): Promise<AccountChange>;
  /** Ends the account with its tokens and passkeys. Tells whether there was one; rejects as `narrow` does. */
  remove(id: string): Promise<boolean>;
  /** Runs `work` while nobody changes the account; undefined, and no work, where there is none. */
  hold<Result>(id: string, work: (account: Account) => Promise<Result>): Promise<Result | undefined>;
}

/** Grants, narrows and removes accounts, each account one change after the other. */
export function createAccounts({ store, revocations, clock, scopes: known }: AccountsOptions): Accounts {
  const knownScopes = new Set(known);
  const turns = createTurns();

  function endTokensOf({ id, epoch }: Account): Promise<void> {
    const until = epochSeconds(clock) + REVOKED_FOR_SECONDS;
    return revocations.revokeKey(revocationKey.accountEpoch(id, epoch), until);
  }

  /** The first epoch from `epoch` on whose tokens count: those of a removed account of this id must stay dead. */
  async function liveEpoch(id: string, epoch: number): Promise<number> {
    // Another process may have ended one.
    await revocations.load();
    let live = epoch;
    while (revocations.isRevoked(revocationKey.accountEpoch(id, live))) live += 1;
    return live;
  }

  function faultOf(
    id: string,
    { scopes = [], subjects = [] }: Partial<AccountRights>,
  ): AccountFault | undefined {
    if (!isIdentifier(id) || id.length > MAX_ID_LENGTH) return 'invalid_id';
    if (!scopes.every((scope) => knownScopes.has(scope))) return 'unknown_scope';
    if (!subjects.every((subject) => subject === EVERY_SUBJECT || isSubjectId(subject)))
      return 'invalid_subject';
    return undefined;
  }

  return {
    find: (id) => store.find(id),
    all: () => store.all(),
    async grant(id, { name, scopes, subjects }) {
      const fault = faultOf(id, { scopes, subjects });
      if (fault !== undefined) return refuse(fault);
      if (name !== undefined && !isDisplayText(name)) return refuse('invalid_name');
      return await turns.take(id, async () => {
        const before = await store.find(id);
        const epoch = await liveEpoch(id, before?.epoch ?? 0);
        // Of an account that was there before and was removed, nothing that anybody consented to comes back.
        const lost = before === undefined && epoch > 0 ? lostInAll(epoch - 1) : before?.lost;
        const account = {
          id,
          name: name ?? before?.name ?? id,
          scopes: new Set([...(before?.scopes ?? []), ...scopes]),
          subjects: joined(before?.subjects ?? new Set(), subjects),
          epoch,
          ...(lost !== undefined && { lost }),
        };
        if (sizeOf(account) > MAX_RIGHTS_BYTES) return refuse('too_many_rights');
        await store.save(account);
        return { kind: 'changed', account };
      });
    },
    async narrow(id, rights) {
      const fault = faultOf(id, rights);
      if (fault !== undefined) return refuse(fault);
      return await turns.take(id, async () => {
        const account = await store.find(id);
        if (account === undefined) return { kind: 'no_account' };
        const scopes = difference(account.scopes, rights.scopes ?? []);
        const subjects = without(account.subjects, rights.subjects ?? []);
        if (subjects === undefined) return refuse('one_of_every_subject');
        const isSame =
          scopes.size === account.scopes.size &&
          sizeOfSubjects(subjects) === sizeOfSubjects(account.subjects);
        if (isSame) return { kind: 'unchanged', account };
        // First the tokens: a crash between the two refuses too much, never too little.
        await endTokensOf(account);
        const narrowed = {
          ...account,
          scopes,
          subjects,
          epoch: await liveEpoch(id, account.epoch + 1),
          lost: lostWith(account, rights),
        };
        await store.save(narrowed);
        return { kind: 'changed', account: narrowed };
      });
    },
    remove: (id) =>
      turns.take(id, async () => {
        const account = await store.find(id);
        if (account === undefined) return false;
        await endTokensOf(account);
        await store.remove(id);
        return true;
      }),
    hold: (id, work) =>
      turns.take(id, async () => {
        const account = await store.find(id);
        return account && (await work(account));
      }),
  };
}

function lostWith(
  { lost, epoch }: Account,
  { scopes = [], subjects = [] }: Partial<AccountRights>,
): LostRights {
  const now = (rights: readonly string[]) => rights.map((right) => [right, epoch] as const);
  return {
    scopes: { ...lost?.scopes, ...Object.fromEntries(now(scopes)) },
    subjects: { ...lost?.subjects, ...Object.fromEntries(now(subjects)) },
  };
}

function lostInAll(epoch: number): LostRights {
  return { scopes: {}, subjects: { [EVERY_SUBJECT]: epoch } };
}

function refuse(fault: AccountFault): AccountChange {
  return { kind: 'refused', fault };
}

function joined(held: Account['subjects'], added: readonly string[]): Account['subjects'] {
  if (held === '*' || added.includes(EVERY_SUBJECT)) return '*';
  return new Set([...held, ...added]);
}

/** What is left when some are taken; undefined where that cannot be said. */
function without(held: Account['subjects'], taken: readonly string[]): Account['subjects'] | undefined {
  if (taken.includes(EVERY_SUBJECT)) return new Set();
  if (held !== '*') return difference(held, taken);
  return taken.length === 0 ? held : undefined;
}

function difference(held: ReadonlySet<string>, taken: readonly string[]): ReadonlySet<string> {
  return new Set([...held].filter((one) => !taken.includes(one)));
}

function sizeOfSubjects(subjects: Account['subjects']): number {
  return subjects === '*' ? Number.POSITIVE_INFINITY : subjects.size;
}

function sizeOf({ id, scopes, subjects }: Account): number {
  return Buffer.byteLength(JSON.stringify([id, [...scopes], [...subjects]]));
}
