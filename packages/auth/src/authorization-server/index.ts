export type { Clock } from '../clock.ts';
export type { Randomness } from '../randomness.ts';
export {
  createPairing,
  type Pairing,
  type PairingGrant,
  type PairingOffer,
  type PairingOptions,
  type PairingRedemption,
} from './pairing.ts';
export { type AuthorizationServerMetadata, authorizationServerMetadata } from './server-metadata.ts';
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
