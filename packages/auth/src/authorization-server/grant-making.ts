import type { Provider } from 'oidc-provider';
import type { Account } from '../account.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import { GRANT_SECONDS } from './lifetimes.ts';
import type { ResourceIndicator } from './resource-indicator.ts';
import { type Consent, type ConsentKeeper, rightsLeft } from './rights.ts';

export interface GrantMakingOptions {
  readonly consents: ConsentKeeper;
  readonly clock: Clock;
  readonly resource: ResourceIndicator;
}

/** Keeps a grant of what the account has of a consent. Undefined, with nothing kept, when that is nothing. */
export async function makeGrant(
  provider: Provider,
  account: Account,
  clientId: string,
  consent: Consent,
  { consents, clock, resource }: GrantMakingOptions,
): Promise<{ readonly id: string } | undefined> {
  const { epoch } = account;
  const rights = rightsLeft({ ...consent, epoch }, account);
  if (rights === undefined) return undefined;
  const grant = new provider.Grant({ accountId: account.id, clientId });
  for (const spelling of resource.spellings) grant.addResourceScope(spelling, rights.scopes.join(' '));
  const id = await grant.save();
  await consents.keep(
    id,
    { scopes: rights.scopes, subjects: consent.subjects === '*' ? '*' : rights.subjects, epoch },
    epochSeconds(clock) + GRANT_SECONDS,
  );
  return { id };
}
