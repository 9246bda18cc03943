import { createPrivateKey, sign } from 'node:crypto';
import type { SigningKey } from '../src/authorization-server/signing-key.ts';

/** The order of the P-256 group (FIPS 186-5). */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** A part of a compact token from a value or from raw text. */
export function encodePart(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** Signs whatever header and payload a test wants, right or wrong, without the code under test. */
export function forgeToken(key: SigningKey, header: unknown, payload: unknown): string {
  const signingInput = `${encodePart(header)}.${encodePart(payload)}`;
  const { kty, crv, x, y, d } = key;
  const privateKey = createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signingInput), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signingInput}.${signature.toString('base64url')}`;
}

/** The same token with the other valid form of its ECDSA signature: s becomes n − s. */
export function malleate(compact: string): string {
  const [header = '', payload = '', encoded = ''] = compact.split('.');
  const signature = Buffer.from(encoded, 'base64url');
  const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
  const other = Buffer.from((P256_ORDER - s).toString(16).padStart(64, '0'), 'hex');
  const twin = Buffer.concat([signature.subarray(0, 32), other]).toString('base64url');
  return `${header}.${payload}.${twin}`;
}

/** The same bytes spelled with other stray bits in the last character of one part, where it has any. */
export function respell(compact: string, part: 0 | 1 | 2): string | undefined {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const parts = compact.split('.');
  const text = parts[part] ?? '';
  if (text.length % 4 === 0) return undefined;
  const last = alphabet.charAt(alphabet.indexOf(text.slice(-1)) ^ 1);
  parts[part] = `${text.slice(0, -1)}${last}`;
  return parts.join('.');
}
