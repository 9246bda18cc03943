import { createPublicKey } from 'node:crypto';
import { createSigningKey, jwks, type SigningKey } from '../src/authorization-server/signing-key.ts';
import { createTokenIssuer, type TokenGrant } from '../src/authorization-server/token-issuer.ts';
import { createRevocationRegistry } from '../src/resource-server/revocation-registry.ts';
import { createTokenRevoker } from '../src/resource-server/token-revoker.ts';
import { createTokenVerifier, type TokenVerifierOptions } from '../src/resource-server/token-verifier.ts';
import { createCountingRandomness } from './counting-randomness.ts';
import { forgeToken } from './forged-token.ts';
import { createMemoryRevocationStore } from './memory-revocation-store.ts';
import { createVirtualClock } from './virtual-clock.ts';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'https://resource.example/mcp';

export const GRANT: TokenGrant = {
  sub: 'nora',
  clientId: 'reader',
  scopes: ['notes.read', 'notes.write'],
  subjects: ['alpha', 'beta'],
  ttlSeconds: 3600,
};

const key = createSigningKey();
const { kty, crv, x, y } = key;
const publicKey = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });

export type TokenFixture = Awaited<ReturnType<typeof createTokenFixture>>;

/** One issuer and one resource on one virtual clock, with nothing shared between fixtures but the key. */
export async function createTokenFixture(overrides: Partial<TokenVerifierOptions> = {}) {
  const clock = createVirtualClock();
  const store = createMemoryRevocationStore();
  const revocations = createRevocationRegistry(store, clock);
  await revocations.load();
  const expectations = { issuer: ISSUER, audience: AUDIENCE, keys: jwks([key]) };
  const issuer = createTokenIssuer({
    issuer: ISSUER,
    audience: AUDIENCE,
    key,
    clock,
    randomness: createCountingRandomness(),
  });
  const verifier = createTokenVerifier({ ...expectations, clock, revocations, ...overrides });
  const revoker = createTokenRevoker({ ...expectations, revocations });
  const now = clock.now() / 1000;
  const header = { alg: 'ES256', typ: 'at+jwt', kid: key.kid };
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    jti: 'one',
    sub: 'nora',
    client_id: 'reader',
    scope: 'notes.read',
    subjects: ['alpha'],
    iat: now,
    exp: now + 3600,
  };

  return {
    clock,
    store,
    revocations,
    issuer,
    verifier,
    revoker,
    key,
    publicKey,
    now,
    header,
    claims,
    /** A token right in all but what is changed; `undefined` leaves a member out. */
    forge(change: { header?: object; claims?: object; key?: SigningKey } = {}) {
      return forgeToken(change.key ?? key, { ...header, ...change.header }, { ...claims, ...change.claims });
    },
    async mint(change: Partial<TokenGrant> = {}) {
      const minted = await issuer.mint({ ...GRANT, ...change });
      if (minted.kind === 'refused') throw new Error(minted.fault);
      return minted.token;
    },
    async outcomeOf(compact: string) {
      const outcome = await verifier.verify(`Bearer ${compact}`);
      return outcome.kind === 'verified' ? 'verified' : outcome.failure;
    },
  };
}
