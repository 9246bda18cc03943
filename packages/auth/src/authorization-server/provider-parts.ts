import type { Adapter, errors, Grant, interactionPolicy, Provider } from 'oidc-provider';
import type { Account } from '../account.ts';
import type { AuthorizationServerOptions } from './provider-options.ts';
import type { ResourceIndicator } from './resource-indicator.ts';
import type { ConsentKeeper } from './rights.ts';

/** What is used of `oidc-provider`, which is loaded when it is first needed. */
export interface ProviderLibrary {
  readonly Provider: typeof Provider;
  readonly errors: typeof errors;
  readonly interactionPolicy: typeof interactionPolicy;
}

/** What the configuration of the library stands on. */
export interface ProviderParts {
  readonly library: ProviderLibrary;
  readonly options: AuthorizationServerOptions;
  readonly resource: ResourceIndicator;
  readonly adapters: (kind: string) => Adapter;
  readonly consents: ConsentKeeper;
  readonly firstPartyIds: ReadonlySet<string>;
  findAccount(id: string): Promise<Account | undefined>;
  /** A grant of what one of our own pages asks for, as far as the account has it. */
  grantFirstParty(
    accountId: string,
    clientId: string,
    scopes: readonly string[],
  ): Promise<InstanceType<typeof Grant> | undefined>;
}
