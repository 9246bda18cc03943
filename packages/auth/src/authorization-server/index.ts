export type { Account, AccountStore } from '../account.ts';
export type { Clock } from '../clock.ts';
export { accountIdOf } from '../outside-identity.ts';
export type { Randomness } from '../randomness.ts';
export {
  type AccountChange,
  type AccountFault,
  type AccountRights,
  type Accounts,
  type AccountsOptions,
  createAccounts,
} from '../sign-in/accounts.ts';
export type { Passkey, PasskeyStore } from '../sign-in/passkey-store.ts';
export {
  createPasskeys,
  type Enrolment,
  type EnrolmentStart,
  type PasskeyRefusal,
  type PasskeyRefused,
  type PasskeySignIn,
  type Passkeys,
  type PasskeysOptions,
} from '../sign-in/passkeys.ts';
export { isUpstreamIssuer, type UpstreamProvider } from '../sign-in/upstream-client.ts';
export {
  createUpstream,
  type Upstream,
  type UpstreamFinish,
  type UpstreamOptions,
  type UpstreamRefusal,
  type UpstreamStart,
} from '../sign-in/upstream-oidc.ts';
export { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts';
export {
  type ClientDocumentFetch,
  type ClientDocumentFetchOptions,
  createClientDocumentFetch,
} from './client-document-fetch.ts';
export type { Interaction } from './interaction.ts';
export type { EnrolledListener, ListenerStore } from './listener-store.ts';
export {
  createPairing,
  type Pairing,
  type PairingGrant,
  type PairingOffer,
  type PairingOptions,
  type PairingRedemption,
} from './pairing.ts';
export type { AuthorizationServerOptions, FirstPartyClient } from './provider-options.ts';
export type { KeptOAuthRecord, OAuthRecord, OAuthRecordStore } from './record-store.ts';
export type { Consent } from './rights.ts';
export {
  createSigningKey,
  jwks,
  type LoadedSigningKeys,
  loadSigningKeys,
  type PublicKeySet,
  type PublicSigningKey,
  type SigningKey,
  serializeSigningKeys,
} from './signing-key.ts';
export {
  createTokenIssuer,
  type GrantFault,
  type GrantRefused,
  type TokenGrant,
  type TokenIssuer,
  type TokenIssuerOptions,
  type TokenMinted,
} from './token-issuer.ts';
