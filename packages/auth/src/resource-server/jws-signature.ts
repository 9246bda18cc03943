import type { KeyObject, webcrypto } from 'node:crypto';
import type { CompactJWSHeaderParameters, CompactVerifyGetKey, JSONWebKeySet } from 'jose';
import { ACCESS_TOKEN_ALGORITHM } from '../access-token-format.ts';
import { refuse, type TokenRefused } from './verified-token.ts';

export type PublicKey = KeyObject | webcrypto.CryptoKey;

/**
 * Finds the issuer's public key by the token's `kid`, which is not yet trusted. Unknown is `undefined`; a
 * rejection means that the keys cannot be had now, and reaches the caller of `verify`.
 */
export type KeyLookup = (kid: string | undefined) => PublicKey | undefined | Promise<PublicKey | undefined>;

/** Keys of somebody else, who may sign with any of these algorithms. The library looks that the key is of its kind. */
export interface ForeignKeys {
  readonly algorithms: readonly string[];
  readonly findKey: CompactVerifyGetKey;
}

export interface SignedPayload {
  readonly kind: 'signed';
  readonly typ: string | undefined;
  readonly payload: Uint8Array;
}

export type SignatureCheck = (compact: string) => Promise<SignedPayload | TokenRefused>;

/**
 * Checks a compact JWS (RFC 7515) against the issuer's keys. Keys that the token brings along (`jwk`,
 * `jku`, `x5c`, `x5u`) are never looked at. Extensions (`crit`) are refused: access tokens use none.
 */
export function createSignatureCheck(keys: JSONWebKeySet | KeyLookup | ForeignKeys): SignatureCheck {
  const algorithms = 'findKey' in keys ? [...keys.algorithms] : [ACCESS_TOKEN_ALGORITHM];
  // Importing jose costs tens of milliseconds, which a start-up need not wait for.
  let prepared: ReturnType<typeof prepare> | undefined;

  async function prepare() {
    const { compactVerify, createLocalJWKSet, errors } = await import('jose');
    const findByHeader = finder();

    function finder(): CompactVerifyGetKey {
      if (typeof keys === 'function') return findWith(keys);
      return 'findKey' in keys ? keys.findKey : createLocalJWKSet(keys);
    }

    function findWith(lookup: KeyLookup) {
      return async ({ kid }: CompactJWSHeaderParameters): Promise<PublicKey> => {
        const key = await lookup(typeof kid === 'string' ? kid : undefined);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      };
    }
    return { compactVerify, errors, findByHeader };
  }

  return async (compact) => {
    if (!isCanonical(compact)) return refuse('malformed');
    prepared ??= prepare();
    const { compactVerify, errors, findByHeader } = await prepared;
    try {
      const { payload, protectedHeader } = await compactVerify(compact, findByHeader, {
        algorithms,
      });
      if (protectedHeader.crit !== undefined) return refuse('malformed');
      return { kind: 'signed', typ: protectedHeader.typ, payload };
    } catch (error) {
      if (error instanceof errors.JOSEAlgNotAllowed) return refuse('wrong_algorithm');
      if (error instanceof errors.JWSInvalid || error instanceof errors.JOSENotSupported) {
        return refuse('malformed');
      }
      if (
        error instanceof errors.JWSSignatureVerificationFailed ||
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys
      ) {
        return refuse('bad_signature');
      }
      throw error;
    }
  };
}

/**
 * Three parts of base64url, each in the one spelling an encoder gives. A decoder drops stray bits at the
 * end of a part, so otherwise one token would have several spellings (RFC 4648, section 3.5).
 */
function isCanonical(compact: string): boolean {
  const parts = compact.split('.');
  return (
    parts.length === 3 &&
    parts.every((part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}
