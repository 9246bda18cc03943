import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { sha256Base64url } from '../src/digest.ts';

/** Whoever holds a key and proves it (RFC 9449). */
export interface ProofMaker {
  readonly thumbprint: string;
  readonly jwk: JWK;
  /** A proof for the token, right in all but what is changed; `undefined` leaves a member out. */
  prove(token: string, change?: { header?: object; claims?: object }): Promise<string>;
}

export async function createProofMaker(right: {
  readonly method: string;
  readonly address: string;
  /** Epoch seconds. */
  readonly now: number;
}): Promise<ProofMaker> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  let made = 0;
  return {
    jwk,
    thumbprint: await calculateJwkThumbprint(jwk),
    async prove(token, { header = {}, claims = {} } = {}) {
      made += 1;
      const own = {
        htm: right.method,
        htu: right.address,
        iat: right.now,
        jti: `proof ${made}`,
        ath: sha256Base64url(token),
      };
      const kept = Object.entries({ ...own, ...claims }).filter(([, value]) => value !== undefined);
      return new SignJWT(Object.fromEntries(kept))
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
        .sign(privateKey);
    },
  };
}
