import { lookup } from 'node:dns/promises';
import {
  type Accounts,
  type AuthorizationServer,
  createAuthorizationServer,
  createClientDocumentFetch,
  createPasskeys,
  createUpstream,
  type Passkeys,
  type Upstream,
  type UpstreamOptions,
} from '@unsay/auth/authorization-server';
import type { Randomness } from '@unsay/live-resources';
import { ALL_SCOPES, SCOPES } from '../domain/care-partition.ts';
import type { Limits } from '../limits/limits.ts';
import type { OpenFolder } from '../open-folder.ts';
import type { Settings } from '../settings/settings.ts';
import { ownClients } from './own-clients.ts';

/** How people sign in at this server. There is none where an outside issuer is configured. */
export interface SignIn {
  readonly server: AuthorizationServer;
  readonly accounts: Accounts;
  readonly passkeys: Passkeys;
  /** Sign-in at an outside provider; null where none is configured. */
  readonly upstream: Upstream | null;
}

export interface SignInParts {
  readonly folder: OpenFolder;
  readonly settings: Settings;
  readonly publicUrl: string;
  readonly randomness: Randomness;
  readonly limits: Limits;
  readonly onFault: (error: unknown) => void;
}

/** Puts sign-in together. Its libraries are loaded when somebody first signs in. */
export function createSignIn(parts: SignInParts): SignIn | null {
  const { folder, settings, publicUrl, randomness, limits, onFault } = parts;
  if (settings.authServer !== null) return null;
  const { clock, accounts, revocations, signingKeys } = folder;
  const { records, passkeys: store, accounts: accountStore, cookieKey } = folder.signIn;
  const { origin, hostname } = new URL(publicUrl);
  const fetch = createClientDocumentFetch({
    resolve: (name) => lookup(name, { all: true }),
    privateHosts: settings.privateClientHosts,
  });
  return {
    server: createAuthorizationServer({
      issuer: publicUrl,
      resourceName: 'Unsay',
      scopes: ALL_SCOPES,
      defaultScopes: [SCOPES.readUser],
      records,
      accounts: accountStore,
      signingKeys,
      cookieKeys: [cookieKey],
      revocations,
      clock,
      randomness,
      firstParty: ownClients(publicUrl),
      clientDocuments: { fetch },
      onFault,
      limitRefused: ({ socket }) => limits.failedAuthentication(socket.remoteAddress),
    }),
    accounts,
    passkeys: createPasskeys({ rpId: hostname, rpName: 'Unsay', origin, accounts, store, clock, randomness }),
    upstream: upstreamOf(parts, accounts),
  };
}

function upstreamOf({ folder, settings, publicUrl, randomness }: SignInParts, accounts: Accounts) {
  const { oidc } = settings;
  if (oidc === null) return null;
  const { issuer, clientId, clientSecret } = oidc;
  const options: UpstreamOptions = {
    issuer,
    clientId,
    clientSecret: clientSecret ?? undefined,
    redirectUri: `${publicUrl}/sign-in/callback`,
    accounts,
    clock: folder.clock,
    randomness,
  };
  return createUpstream(options);
}
