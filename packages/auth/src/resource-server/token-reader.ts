import type { JSONWebKeySet } from 'jose';
import { ACCESS_TOKEN_TYPE, MAX_ACCESS_TOKEN_LENGTH } from '../access-token-format.ts';
import { sha256Base64url } from '../digest.ts';
import { createSignatureCheck, type KeyLookup } from './jws-signature.ts';
import { revocationKey } from './revocation-keys.ts';
import { readTokenClaims, type TokenClaims } from './token-claims.ts';
import { refuse, type TokenRefused, type VerifiedToken } from './verified-token.ts';

export interface TokenExpectations {
  /** The one issuer whose tokens count, exactly as it stands in `iss`. */
  readonly issuer: string;
  /** This resource, exactly as it stands in `aud` (RFC 8707). */
  readonly audience: string;
  /** The issuer's public keys: its JWKS, or a way to look one up. */
  readonly keys: JSONWebKeySet | KeyLookup;
}

export type TokenReader = (
  compact: string,
) => Promise<{ readonly kind: 'read'; readonly token: VerifiedToken } | TokenRefused>;

/** Checks all of a compact token that does not change with time: form, signature, issuer, audience. */
export function createTokenReader({ issuer, audience, keys }: TokenExpectations): TokenReader {
  const checkSignature = createSignatureCheck(keys);

  return async (compact) => {
    if (compact.length > MAX_ACCESS_TOKEN_LENGTH) return refuse('malformed');
    const signed = await checkSignature(compact);
    if (signed.kind === 'refused') return signed;
    if (!isAccessTokenType(signed.typ)) return refuse('wrong_type');
    const read = readTokenClaims(signed.payload, { issuer, audience });
    if (read.kind === 'refused') return read;
    const signingInput = compact.slice(0, compact.lastIndexOf('.'));
    const tokenHash = sha256Base64url(signingInput);
    // A token that names no epoch is of the time before its account was there, and ends with the first one.
    const { accountEpoch = 0 } = read.claims;
    const revocationKeys = revocationKeysOf(tokenHash, { ...read.claims, accountEpoch });
    return { kind: 'read', token: { tokenHash, ...read.claims, revocationKeys } };
  };
}

export function revocationKeysOf(
  tokenHash: string,
  { sub, clientId, grantId, accountEpoch }: TokenClaims,
): readonly string[] {
  const keys = [tokenHash, revocationKey.client(clientId)];
  if (grantId !== undefined) keys.push(revocationKey.grant(grantId));
  if (accountEpoch !== undefined) keys.push(revocationKey.accountEpoch(sub, accountEpoch));
  return keys;
}

/** RFC 9068, section 4, also takes the full media type; media types ignore case. */
function isAccessTokenType(typ: unknown): boolean {
  if (typeof typ !== 'string') return false;
  const lower = typ.toLowerCase();
  return lower === ACCESS_TOKEN_TYPE || lower === `application/${ACCESS_TOKEN_TYPE}`;
}
