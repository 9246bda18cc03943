import fc from 'fast-check';
import { decodeProtectedHeader } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  createTokenFixture,
  GRANT,
  ISSUER,
  type TokenFixture,
} from '../../testing/token-fixture.ts';

let fixture: TokenFixture;

beforeEach(async () => {
  fixture = await createTokenFixture();
});

describe('a minted token', () => {
  it('says what RFC 9068 asks and what was granted', async () => {
    const minted = await fixture.issuer.mint(GRANT);
    if (minted.kind === 'refused') throw new Error(minted.fault);
    const [, payload = ''] = minted.token.split('.');
    expect(decodeProtectedHeader(minted.token)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: fixture.key.kid,
    });
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      iss: ISSUER,
      aud: AUDIENCE,
      jti: minted.jti,
      iat: fixture.now,
      exp: fixture.now + 3600,
      sub: 'nora',
      client_id: 'reader',
      scope: 'notes.read notes.write',
      subjects: ['alpha', 'beta'],
    });
    expect(minted.expiresAt).toBe(fixture.now + 3600);
    expect(minted.scope).toBe('notes.read notes.write');
  });

  it('has a name of 128 bits of its own', async () => {
    const [first, second] = [await fixture.issuer.mint(GRANT), await fixture.issuer.mint(GRANT)];
    if (first.kind === 'refused' || second.kind === 'refused') throw new Error('refused');
    expect(Buffer.from(first.jti, 'base64url')).toHaveLength(16);
    expect(first.jti).not.toBe(second.jti);
  });

  it('is verified as it was granted, whatever was granted', async () => {
    const subject = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,63}$/);
    const grants = fc.record({
      sub: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
      clientId: fc.webUrl({ validSchemes: ['https'], size: 'small' }),
      scopes: fc.array(fc.stringMatching(/^[!#-[\]-~]{1,20}$/), { maxLength: 8 }),
      subjects: fc.oneof(fc.array(subject, { maxLength: 8 }), fc.constant(['*'])),
      ttlSeconds: fc.integer({ min: 1, max: 31_536_000 }),
    });
    await fc.assert(
      fc.asyncProperty(grants, async (grant) => {
        const outcome = await fixture.verifier.verify(`Bearer ${await fixture.mint(grant)}`);
        expect(outcome).toMatchObject({
          kind: 'verified',
          token: {
            sub: grant.sub,
            clientId: grant.clientId,
            scopes: new Set(grant.scopes),
            subjects: grant.subjects[0] === '*' ? '*' : new Set(grant.subjects),
            expiresAt: fixture.now + grant.ttlSeconds,
          },
        });
      }),
    );
  });

  it('can be read at the largest size there is', async () => {
    const subjects = Array.from({ length: 57 }, (_, n) => `${n}`.padStart(64, '0'));
    const largest = { subjects, clientId: 'x'.repeat(200) };
    expect(await fixture.outcomeOf(await fixture.mint(largest))).toBe('verified');
    const tooLarge = { ...GRANT, ...largest, clientId: 'x'.repeat(400) };
    expect(await fixture.issuer.mint(tooLarge)).toEqual({ kind: 'refused', fault: 'too_large' });
  });
});

it.each([
  ['invalid_sub', { sub: '' }],
  ['invalid_sub', { sub: 'nora\n' }],
  ['invalid_sub', { sub: '\ud800' }],
  ['invalid_client_id', { clientId: '' }],
  ['invalid_client_id', { clientId: 'a\u0000' }],
  ['invalid_scope', { scopes: [''] }],
  ['invalid_scope', { scopes: ['a b'] }],
  ['invalid_scope', { scopes: ['a', 'b"'] }],
  ['invalid_scope', { scopes: ['a\n'] }],
  ['invalid_subject', { subjects: [''] }],
  ['invalid_subject', { subjects: ['Alpha'] }],
  ['invalid_subject', { subjects: ['-alpha'] }],
  ['invalid_subject', { subjects: ['alpha\n'] }],
  ['invalid_subject', { subjects: ['a'.repeat(65)] }],
  ['invalid_subject', { subjects: ['alpha', '*'] }],
  ['invalid_ttl', { ttlSeconds: 0 }],
  ['invalid_ttl', { ttlSeconds: -1 }],
  ['invalid_ttl', { ttlSeconds: 1.5 }],
  ['invalid_ttl', { ttlSeconds: 31_536_001 }],
  ['invalid_ttl', { ttlSeconds: Number.NaN }],
  ['too_large', { sub: 'x'.repeat(4096) }],
] as const)('is refused as %s: %j', async (fault, change) => {
  const grant = { ...GRANT, ...change };
  expect(await fixture.issuer.mint(grant)).toEqual({ kind: 'refused', fault });
  expect(fixture.issuer.faultOf(grant)).toBe(fault);
});
