import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { createTokenRevoker } from '../resource-server/token-revoker.ts';
import { amendAnswer, answerUnavailable, refuseResponseModes, sayUnavailable } from './answer-amendments.ts';
import { createGrantEnding, type EndGrant } from './grant-ending.ts';
import { type GrantMakingOptions, makeGrant } from './grant-making.ts';
import { createInteractions, type Interactions } from './interaction.ts';
import { createProviderConfiguration } from './provider-configuration.ts';
import type { AuthorizationServerOptions } from './provider-options.ts';
import { publishedMetadata } from './published-metadata.ts';
import { createRecordAdapters } from './record-adapter.ts';
import { createRegisteredClients } from './registered-clients.ts';
import { createResourceIndicator } from './resource-indicator.ts';
import { createAccountFinder, createConsentKeeper } from './rights.ts';
import { jwks } from './signing-key.ts';
import { createReach, Unavailable } from './unavailable.ts';

const DEFAULT_GRACE_SECONDS = 10;

export interface BuiltProvider {
  readonly interactions: Interactions;
  readonly endGrant: EndGrant;
  answer(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

function isRouted(ctx: object): ctx is KoaContextWithOIDC {
  return 'oidc' in ctx;
}

/** Loads `oidc-provider` and joins it to our stores. */
export async function buildProvider(options: AuthorizationServerOptions): Promise<BuiltProvider> {
  const { Provider, errors, interactionPolicy } = await import('oidc-provider');
  const library = { Provider, errors, interactionPolicy };
  const { issuer, records, revocations, clock, onFault } = options;
  const reach = createReach(onFault);
  const resource = createResourceIndicator(options.resource ?? `${issuer}/mcp`);
  const consents = createConsentKeeper(records, reach);
  const findAccount = createAccountFinder(options.accounts, reach);
  const endGrant = createGrantEnding({ records, revocations, clock, reach });
  const firstPartyIds = new Set(options.firstParty.map(({ clientId }) => clientId));
  const making: GrantMakingOptions = { consents, clock, resource };

  const provider = new Provider(
    issuer,
    createProviderConfiguration({
      library,
      options,
      resource,
      consents,
      findAccount,
      firstPartyIds,
      adapters: createRecordAdapters({
        records,
        clients: createRegisteredClients({ records, clock, reach }),
        clock,
        reach,
        endGrant,
        refreshGraceSeconds: options.refreshGraceSeconds ?? DEFAULT_GRACE_SECONDS,
        usedAlready: () => new errors.InvalidGrant('used already'),
      }),
      async grantFirstParty(accountId, clientId, scopes) {
        const account = await findAccount(accountId);
        const made =
          account && (await makeGrant(provider, account, clientId, { scopes, subjects: '*' }, making));
        return made && provider.Grant.find(made.id);
      },
    }),
  );
  // Only names and schemes that we put there ourselves are read from these headers.
  provider.proxy = true;
  // What a broken connection throws is nobody's fault, and goes to no console.
  provider.silent = true;
  provider.on('grant.error', sayUnavailable);
  provider.on('revocation.error', sayUnavailable);
  provider.on('server_error', (_ctx, fault) => onFault(fault));

  const keys = jwks(options.signingKeys);
  const revoker = createTokenRevoker({ issuer, audience: resource.canonical, keys, revocations });
  const metadata = publishedMetadata({ issuer, resource: resource.canonical, scopes: options.scopes });
  const { limitRefused } = options;
  const amendments = { metadata, revoker, reach, ...(limitRefused === undefined ? {} : { limitRefused }) };
  provider.use(async (ctx, next) => {
    refuseResponseModes(ctx);
    try {
      await next();
      if (isRouted(ctx)) await amendAnswer(ctx, amendments);
    } catch (fault) {
      // What the library does not answer itself: its last words to the store, and what is done after it.
      if (!(fault instanceof Unavailable)) onFault(fault);
      answerUnavailable(ctx, options.resourceName);
    }
  });
  const answer = provider.callback();

  return {
    interactions: createInteractions({ ...making, provider, library, firstPartyIds, findAccount }),
    endGrant,
    answer: async (req, res) => {
      await answer(req, res);
    },
  };
}
