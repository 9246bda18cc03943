import { createECDH, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { ACCESS_TOKEN_ALGORITHM } from '../access-token-format.ts';
import { sha256Base64url } from '../digest.ts';

/** The public half of a signing key, as it stands in a JWKS (RFC 7517, RFC 7518 section 6.2). */
export interface PublicSigningKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

/** A private JWK. It is a secret: keep it in a file of mode 0600 or sealed, and show only `jwks` of it. */
export interface SigningKey extends PublicSigningKey {
  readonly d: string;
}

/** A JWKS that shows no private key. */
export interface PublicKeySet {
  readonly keys: PublicSigningKey[];
}

export type LoadedSigningKeys =
  /** The first key signs; the others are older ones whose tokens still count. */
  | { readonly kind: 'loaded'; readonly keys: readonly [SigningKey, ...SigningKey[]] }
  /** The text is no key set of ours, or was altered. */
  | { readonly kind: 'not_signing_keys' };

/** A new ES256 key from the system's generator. */
export function createSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = fromJwk(privateKey.export({ format: 'jwk' }));
  if (key === undefined) throw new Error('the generated key is not a P-256 key');
  return key;
}

/** The text to keep, which `loadSigningKeys` reads back. It contains the private keys. */
export function serializeSigningKeys(keys: readonly [SigningKey, ...SigningKey[]]): string {
  return JSON.stringify({ keys });
}

/** Reads keys back and checks that each private half belongs to its public half and its `kid`. */
export function loadSigningKeys(text: string): LoadedSigningKeys {
  const [first, ...older] = readKeySet(text).map(fromJwk);
  const rest = older.filter((key) => key !== undefined);
  if (first === undefined || rest.length < older.length) return { kind: 'not_signing_keys' };
  return { kind: 'loaded', keys: [first, ...rest] };
}

/** The JWKS to publish. Only the members named here leave the process. */
export function jwks(keys: Iterable<PublicSigningKey>): PublicKeySet {
  const shown = [...keys].map(({ kty, crv, x, y, kid, alg, use }) => ({ kty, crv, x, y, kid, alg, use }));
  return { keys: shown };
}

function readKeySet(text: string): readonly JsonWebKey[] {
  try {
    const { keys }: { keys?: unknown } = JSON.parse(text);
    return Array.isArray(keys) ? keys : [];
  } catch {
    return [];
  }
}

function fromJwk(jwk: JsonWebKey | null): SigningKey | undefined {
  const { kty, crv, x, y, d, kid } = jwk ?? {};
  if (kty !== 'EC' || crv !== 'P-256') return undefined;
  if (typeof x !== 'string' || typeof y !== 'string' || typeof d !== 'string') return undefined;
  if (!isPair(d, x, y)) return undefined;
  const thumbprint = sha256Base64url(JSON.stringify({ crv, kty, x, y }));
  if (kid !== undefined && kid !== thumbprint) return undefined;
  return { kty, crv, x, y, d, kid: thumbprint, alg: ACCESS_TOKEN_ALGORITHM, use: 'sig' };
}

/** Importing a JWK does not check this: it takes any private half beside any public one. */
function isPair(d: string, x: string, y: string): boolean {
  try {
    const curve = createECDH('prime256v1');
    curve.setPrivateKey(d, 'base64url');
    // An uncompressed point: one byte of form, then the coordinates, 32 bytes each.
    const point = curve.getPublicKey();
    return (
      point.subarray(1, 33).toString('base64url') === x && point.subarray(33).toString('base64url') === y
    );
  } catch {
    return false;
  }
}
