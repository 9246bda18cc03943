import type { Configuration } from 'oidc-provider';
import { ACCESS_TOKEN_ALGORITHM } from '../access-token-format.ts';
import { epochSeconds } from '../clock.ts';
import { accessTokenClaims } from './access-token-claims.ts';
import { judgeClientMetadata } from './client-metadata.ts';
import { ERROR_PAGE_HEADERS, errorPage } from './error-page.ts';
import { createInteractionPolicy } from './interaction-policy.ts';
import {
  ACCESS_TOKEN_SECONDS,
  AUTHORIZATION_CODE_SECONDS,
  GRANT_SECONDS,
  INTERACTION_SECONDS,
  REFRESH_TOKEN_SECONDS,
  SESSION_SECONDS,
} from './lifetimes.ts';
import type { ProviderParts } from './provider-parts.ts';
import { readRequestedScopes } from './requested-scopes.ts';
import { createSignedInPeople } from './signed-in-people.ts';
import { Unavailable } from './unavailable.ts';

const CLIENT_DOCUMENT_CACHE_SECONDS = { min: 60, max: 3600 };
const CLIENT_ID_BYTES = 16;
const CLIENT_SECRET_BYTES = 32;

/** How `oidc-provider` is set up: what is on, what is off, and where it asks us. */
export function createProviderConfiguration(parts: ProviderParts): Configuration {
  const { options, library, adapters, findAccount, consents, firstPartyIds, grantFirstParty, resource } =
    parts;
  const { errors } = library;
  const { clock, randomness, scopes } = options;
  const people = createSignedInPeople(findAccount, consents);

  function randomText(purpose: string, length: number): string {
    return Buffer.from(randomness.bytes(purpose, '', length)).toString('base64url');
  }

  return {
    adapter: adapters,
    clients: options.firstParty.map(({ clientId, name, redirectUris }) => ({
      client_id: clientId,
      client_name: name,
      redirect_uris: [...redirectUris],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    })),
    jwks: { keys: options.signingKeys.map((key) => ({ ...key })) },
    cookies: {
      keys: [...options.cookieKeys],
      long: { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true },
    },
    routes: {
      authorization: '/authorize',
      token: '/token',
      revocation: '/revoke',
      registration: '/register',
      jwks: '/jwks',
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId,
      },
      registration: {
        enabled: true,
        idFactory: () => randomText('client id', CLIENT_ID_BYTES),
        secretFactory: () => randomText('client secret', CLIENT_SECRET_BYTES),
        issueRegistrationAccessToken: false,
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        cacheDuration: CLIENT_DOCUMENT_CACHE_SECONDS,
        allowFetch: () => true,
        allowClient: () => true,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => {
          const isOurs = oneOf === undefined || oneOf.every((indicator) => resource.means(indicator));
          return isOurs ? resource.canonical : oneOf;
        },
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, indicator) => {
          if (!resource.means(indicator)) throw new errors.InvalidTarget();
          return {
            scope: (people.rightsIn(ctx)?.scopes ?? scopes).join(' '),
            audience: resource.canonical,
            accessTokenFormat: 'jwt',
            accessTokenTTL: ACCESS_TOKEN_SECONDS,
            jwt: { sign: { alg: ACCESS_TOKEN_ALGORITHM, kid: options.signingKeys[0].kid } },
          };
        },
      },
    },
    // Their order is the order in which they run, after all that the library checks of a request.
    extraParams: {
      resource(ctx) {
        // The code then counts for every spelling that the client may use when it redeems the code.
        if (ctx.oidc.params !== undefined) ctx.oidc.params.resource = [...resource.spellings];
      },
      scope(ctx, value) {
        const asked = readRequestedScopes(value, scopes, options.defaultScopes ?? scopes);
        if (asked.kind === 'invalid_scope') {
          throw new errors.InvalidScope('none of the requested scopes exists here', '');
        }
        if (ctx.oidc.params !== undefined) ctx.oidc.params.scope = asked.scopes.join(' ');
      },
    },
    responseTypes: ['code'],
    scopes: ['openid'],
    claims: { openid: ['sub'] },
    subjectTypes: ['public'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    enabledJWA: {
      idTokenSigningAlgValues: [ACCESS_TOKEN_ALGORITHM],
      dPoPSigningAlgValues: [ACCESS_TOKEN_ALGORITHM],
    },
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: ACCESS_TOKEN_ALGORITHM,
    },
    extraClientMetadata: {
      // The library asks about it for each client, there or not: that is when all of the metadata is judged.
      properties: ['software_id'],
      validator(_ctx, _property, _value, metadata) {
        if (firstPartyIds.has(metadata.client_id ?? '')) return;
        const verdict = judgeClientMetadata({ ...metadata });
        if (verdict.kind === 'refused') throw new errors.InvalidClientMetadata(verdict.description);
        for (const name of Object.keys(metadata)) delete metadata[name];
        Object.assign(metadata, verdict.metadata);
      },
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: AUTHORIZATION_CODE_SECONDS,
      Grant: GRANT_SECONDS,
      IdToken: AUTHORIZATION_CODE_SECONDS,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Session: SESSION_SECONDS,
    },
    interactions: {
      url: (_ctx, { uid }) => `${options.issuer}/interaction/${uid}`,
      policy: createInteractionPolicy(library.interactionPolicy, (id) => firstPartyIds.has(id)),
    },
    findAccount: (_ctx, id, token) => {
      const isOfGrant = token?.kind === 'RefreshToken' || token?.kind === 'AuthorizationCode';
      return people.find(id, isOfGrant ? token.grantId : undefined);
    },
    async loadExistingGrant(ctx) {
      const { result, client, account, params } = ctx.oidc;
      const grantId = result?.consent?.grantId;
      if (grantId !== undefined) return ctx.oidc.provider.Grant.find(grantId);
      const isFirstParty = client !== undefined && firstPartyIds.has(client.clientId);
      if (!isFirstParty || result?.login === undefined || account === undefined) return undefined;
      return grantFirstParty(account.accountId, client.clientId, `${params?.scope ?? ''}`.split(' '));
    },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    formats: {
      customizers: {
        jwt(ctx, token, jwt) {
          const rights = people.rightsIn(ctx);
          if (rights === undefined || !('grantId' in token) || token.grantId === undefined || !token.scope) {
            throw new errors.InvalidGrant('nothing is left of what was granted');
          }
          const claims = accessTokenClaims(rights, token.grantId, epochSeconds(clock));
          if (claims === undefined) {
            const why = 'the account may read too many subjects for one token; allow fewer of them';
            throw new errors.CustomOIDCProviderError('invalid_grant', why);
          }
          Object.assign(jwt.payload, claims);
        },
      },
    },
    async fetch(url) {
      try {
        return await options.clientDocuments.fetch(`${url}`);
      } catch {
        throw new Unavailable('the metadata document of the client cannot be fetched');
      }
    },
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => origin !== 'null' && URL.parse(uri)?.origin === origin),
    renderError(ctx, { error, error_description: description }, cause) {
      if (ctx.oidc?.route !== 'authorization' && ctx.oidc?.route !== 'resume') {
        ctx.body = { error, error_description: description };
        return;
      }
      const code =
        cause instanceof errors.SessionNotFound
          ? 'session_not_found'
          : cause.cause instanceof Unavailable
            ? 'document_unavailable'
            : error;
      ctx.set({ ...ERROR_PAGE_HEADERS });
      ctx.body = errorPage({ service: options.resourceName, code, description });
    },
  };
}
