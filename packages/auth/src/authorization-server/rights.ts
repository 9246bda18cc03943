import type { Account, AccountStore } from '../account.ts';
import type { OAuthRecordStore } from './record-store.ts';
import type { Reach } from './unavailable.ts';

/** What a grant lets its client do for now. */
export interface Rights {
  readonly scopes: readonly string[];
  readonly subjects: readonly string[] | '*';
  readonly epoch: number;
}

/** What a person allowed a client. */
export interface Consent {
  readonly scopes: readonly string[];
  /** `'*'` follows the account: every subject that it has at the time. */
  readonly subjects: readonly string[] | '*';
}

export interface ConsentKeeper {
  keep(grantId: string, consent: Consent, expiresAt: number): Promise<void>;
  find(grantId: string): Promise<Consent | undefined>;
}

/** Keeps what was consented to beside the grant, with which it ends. */
export function createConsentKeeper(records: OAuthRecordStore, reach: Reach): ConsentKeeper {
  return {
    keep(grantId, consent, expiresAt) {
      const record = { content: { ...consent }, grantId, uid: undefined, expiresAt };
      return reach(() => records.save('Consent', grantId, record));
    },
    async find(grantId) {
      const record = await reach(() => records.find('Consent', grantId));
      return record === undefined ? undefined : readConsent(record.content);
    },
  };
}

export function createAccountFinder(accounts: AccountStore, reach: Reach) {
  return (id: string): Promise<Account | undefined> => reach(() => accounts.find(id));
}

/** What is left of a consent in the account as it is now; undefined when that is nothing. */
export function rightsLeft(consent: Consent, account: Account): Rights | undefined {
  const scopes = consent.scopes.filter((scope) => account.scopes.has(scope));
  const subjects = subjectsLeft(consent.subjects, account.subjects);
  if (scopes.length === 0 || subjects.length === 0) return undefined;
  return { scopes, subjects, epoch: account.epoch };
}

function subjectsLeft(
  consented: readonly string[] | '*',
  held: ReadonlySet<string> | '*',
): readonly string[] | '*' {
  if (held === '*') return consented;
  return consented === '*' ? [...held] : consented.filter((subject) => held.has(subject));
}

function readConsent(content: Readonly<Record<string, unknown>>): Consent | undefined {
  const { scopes, subjects } = content;
  if (!isTextList(scopes)) return undefined;
  if (subjects !== '*' && !isTextList(subjects)) return undefined;
  return { scopes, subjects };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
