export type { Clock } from '../clock.ts';
export { type ChallengeOptions, challenge } from './challenge.ts';
export type { KeyLookup, PublicKey } from './jws-signature.ts';
export {
  createOutsideIssuer,
  IssuerUnavailable,
  type OutsideIssuer,
  type OutsideIssuerOptions,
} from './outside-issuer.ts';
export {
  type CheckProof,
  createProofCheck,
  type OneTimeIds,
  type ProofRequest,
} from './possession-proof.ts';
export {
  type ProtectedResource,
  type ProtectedResourceMetadata,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from './protected-resource-metadata.ts';
export { revocationKey } from './revocation-keys.ts';
export {
  createRevocationRegistry,
  type Revocation,
  type RevocationRegistry,
  type RevocationStore,
} from './revocation-registry.ts';
export type { TokenExpectations } from './token-reader.ts';
export {
  createTokenRevoker,
  type RevokeOutcome,
  type TokenRevoker,
  type TokenRevokerOptions,
} from './token-revoker.ts';
export { createTokenVerifier, type TokenVerifier, type TokenVerifierOptions } from './token-verifier.ts';
export type { TokenFailure, TokenRefused, TokenVerification, VerifiedToken } from './verified-token.ts';
