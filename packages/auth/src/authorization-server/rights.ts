import { EVERY_SUBJECT } from '../access-token-format.ts';
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

/** A consent with the epoch of the account in which it was given. */
export interface KeptConsent extends Consent {
  readonly epoch: number;
}

export interface ConsentKeeper {
  keep(grantId: string, consent: KeptConsent, expiresAt: number): Promise<void>;
  find(grantId: string): Promise<KeptConsent | undefined>;
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

/**
 * What is left of a consent in the account as it is now; undefined when that is nothing. A right that was taken away
 * since is not left even where the account has it again: nobody consented to that.
 */
export function rightsLeft(consent: KeptConsent, account: Account): Rights | undefined {
  const isLost = (rights: Readonly<Record<string, number>> | undefined, right: string): boolean =>
    rights !== undefined && Object.hasOwn(rights, right) && (rights[right] ?? 0) >= consent.epoch;
  const lost = account.lost;
  if (isLost(lost?.subjects, EVERY_SUBJECT)) return undefined;
  const scopes = consent.scopes.filter((scope) => account.scopes.has(scope) && !isLost(lost?.scopes, scope));
  const isKept = (subject: string): boolean => !isLost(lost?.subjects, subject);
  const held = subjectsLeft(consent.subjects, account.subjects);
  // All but one cannot be said in a token: then nothing is left, and the person is asked again.
  const subjects =
    held === '*' ? (Object.keys(lost?.subjects ?? {}).every(isKept) ? held : []) : held.filter(isKept);
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

function readConsent(content: Readonly<Record<string, unknown>>): KeptConsent | undefined {
  const { scopes, subjects, epoch } = content;
  if (!isTextList(scopes) || typeof epoch !== 'number') return undefined;
  if (subjects !== '*' && !isTextList(subjects)) return undefined;
  return { scopes, subjects, epoch };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
