import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodePart, forgeToken, respell } from '../../testing/forged-token.ts';
import { AUDIENCE, createTokenFixture, ISSUER, type TokenFixture } from '../../testing/token-fixture.ts';
import { createSigningKey, jwks } from '../authorization-server/signing-key.ts';
import { revocationKey } from './revocation-keys.ts';

let fixture: TokenFixture;

beforeEach(async () => {
  fixture = await createTokenFixture();
});

describe('a token that is right', () => {
  it('gives its claims and nothing else', async () => {
    const compact = fixture.forge();
    const outcome = await fixture.verifier.verify(`Bearer ${compact}`);
    expect(outcome).toEqual({
      kind: 'verified',
      token: {
        tokenHash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        jti: 'one',
        sub: 'nora',
        clientId: 'reader',
        scopes: new Set(['notes.read']),
        subjects: new Set(['alpha']),
        issuedAt: fixture.now,
        notBefore: fixture.now,
        expiresAt: fixture.now + 3600,
        grantId: undefined,
        accountEpoch: undefined,
        confirmation: undefined,
        // Without an epoch it is of the first one of its account.
        revocationKeys: [
          expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
          revocationKey.client('reader'),
          revocationKey.accountEpoch('nora', 0),
        ],
      },
    });
  });

  it.each([
    ['every subject', { subjects: ['*'] }, { subjects: '*' }],
    ['no subjects claim', { subjects: undefined }, { subjects: new Set() }],
    ['no scope claim', { scope: undefined }, { scopes: new Set() }],
    ['an empty scope', { scope: '' }, { scopes: new Set() }],
    ['several scopes', { scope: 'a b:c' }, { scopes: new Set(['a', 'b:c']) }],
    ['an audience among others', { aud: ['https://other.example', AUDIENCE] }, { sub: 'nora' }],
    ['times with a fraction', { iat: 1.5, exp: 4e9 + 0.5 }, { issuedAt: 1.5, expiresAt: 4e9 + 0.5 }],
    [
      'claims nobody asked for',
      { admin: true, scp: ['x'], groups: ['x'] },
      { scopes: new Set(['notes.read']) },
    ],
  ])('is verified with %s', async (_what, claims, expected) => {
    const outcome = await fixture.verifier.verify(`Bearer ${fixture.forge({ claims })}`);
    expect(outcome).toMatchObject({ kind: 'verified', token: expected });
  });

  it.each(['at+jwt', 'AT+JWT', 'application/at+jwt'])('may spell its type %s', async (typ) => {
    expect(await fixture.outcomeOf(fixture.forge({ header: { typ } }))).toBe('verified');
  });
});

describe('a token that is wrong', () => {
  it.each([
    ['no issuer', { iss: undefined }, 'malformed'],
    ['an issuer that is a list', { iss: [ISSUER] }, 'malformed'],
    ['another issuer', { iss: 'https://other.example' }, 'wrong_issuer'],
    ['the issuer with a slash', { iss: `${ISSUER}/` }, 'wrong_issuer'],
    ['the issuer in capitals', { iss: ISSUER.toUpperCase() }, 'wrong_issuer'],
    ['no audience', { aud: undefined }, 'malformed'],
    ['an audience that is no text', { aud: [AUDIENCE, 7] }, 'malformed'],
    ['an empty list of audiences', { aud: [] }, 'wrong_audience'],
    ['the audience with a slash', { aud: `${AUDIENCE}/` }, 'wrong_audience'],
    ['the audience as a prefix', { aud: `${AUDIENCE}2` }, 'wrong_audience'],
    ['the origin of the audience', { aud: 'https://resource.example' }, 'wrong_audience'],
    ['a sibling path', { aud: 'https://resource.example/write' }, 'wrong_audience'],
    ['a list of near misses', { aud: [`${AUDIENCE}/`, 'https://resource.example'] }, 'wrong_audience'],
    ['no end', { exp: undefined }, 'malformed'],
    ['an end that is text', { exp: '4000000000' }, 'malformed'],
    ['an end beyond all dates', { exp: 1e300 }, 'malformed'],
    ['a negative end', { exp: -1 }, 'malformed'],
    ['no time of issue', { iat: undefined }, 'malformed'],
    ['a beginning that is text', { nbf: 'now' }, 'malformed'],
    ['no jti', { jti: undefined }, 'malformed'],
    ['an empty jti', { jti: '' }, 'malformed'],
    ['no sub', { sub: undefined }, 'malformed'],
    ['a sub that is a number', { sub: 7 }, 'malformed'],
    ['a sub with a line break', { sub: 'nora\nadmin' }, 'malformed'],
    ['a sub with a lone surrogate', { sub: 'nora\ud800' }, 'malformed'],
    ['no client', { client_id: undefined }, 'malformed'],
    ['a null client', { client_id: null }, 'malformed'],
    ['a scope list', { scope: ['notes.read'] }, 'malformed'],
    ['a scope with two spaces', { scope: 'a  b' }, 'malformed'],
    ['a scope with a quote', { scope: 'a"b' }, 'malformed'],
    ['a subject that is text', { subjects: 'alpha' }, 'malformed'],
    ['the star as text', { subjects: '*' }, 'malformed'],
    ['the star among others', { subjects: ['alpha', '*'] }, 'malformed'],
    ['the star twice', { subjects: ['*', '*'] }, 'malformed'],
    ['a subject outside the alphabet', { subjects: ['Alpha'] }, 'malformed'],
    ['a subject that is a number', { subjects: [7] }, 'malformed'],
  ])('is refused with %s', async (_what, claims, failure) => {
    expect(await fixture.outcomeOf(fixture.forge({ claims }))).toBe(failure);
  });

  it.each([
    ['typ JWT', { typ: 'JWT' }, 'wrong_type'],
    ['no typ', { typ: undefined }, 'wrong_type'],
    ['a typ that is no text', { typ: ['at+jwt'] }, 'wrong_type'],
    ['the typ of another kind of token', { typ: 'logout+jwt' }, 'wrong_type'],
    ['alg none', { alg: 'none' }, 'wrong_algorithm'],
    ['alg in lower case', { alg: 'es256' }, 'wrong_algorithm'],
    ['another elliptic algorithm', { alg: 'ES384' }, 'wrong_algorithm'],
    ['no alg', { alg: undefined }, 'malformed'],
    ['an unknown kid', { kid: 'unknown' }, 'bad_signature'],
    ['a kid that is no text', { kid: 7 }, 'bad_signature'],
    ['an unknown critical extension', { crit: ['x'], x: 1 }, 'malformed'],
    ['an empty list of critical extensions', { crit: [] }, 'malformed'],
    ['a known critical extension', { crit: ['b64'], b64: true }, 'malformed'],
  ])('is refused with %s in the header', async (_what, header, failure) => {
    expect(await fixture.outcomeOf(fixture.forge({ header }))).toBe(failure);
  });

  it('is refused without a signature', async () => {
    const unsigned = `${encodePart({ ...fixture.header, alg: 'none' })}.${encodePart(fixture.claims)}.`;
    expect(await fixture.outcomeOf(unsigned)).toBe('malformed');
  });

  it('is refused when it takes the public key for a shared secret', async () => {
    const secrets = [
      fixture.publicKey.export({ type: 'spki', format: 'pem' }),
      JSON.stringify(jwks([fixture.key])),
    ];
    const input = `${encodePart({ ...fixture.header, alg: 'HS256' })}.${encodePart(fixture.claims)}`;
    for (const secret of secrets) {
      const signature = createHmac('sha256', secret).update(input).digest('base64url');
      expect(await fixture.outcomeOf(`${input}.${signature}`)).toBe('wrong_algorithm');
    }
  });

  it('is refused when it brings its own key, whatever the way', async () => {
    const attacker = createSigningKey();
    const [jwk] = jwks([attacker]).keys;
    for (const brought of [
      { jwk },
      { jwk, kid: attacker.kid },
      { jwk, kid: undefined },
      { jku: 'https://attacker.example/jwks' },
      { x5u: 'https://attacker.example/cert' },
      { x5c: ['MIIB'] },
      { kid: '../../dev/null' },
    ]) {
      expect(await fixture.outcomeOf(fixture.forge({ key: attacker, header: brought }))).toBe(
        'bad_signature',
      );
    }
  });

  it('is verified by the right key even beside a key that it brings', async () => {
    const [jwk] = jwks([createSigningKey()]).keys;
    const header = { jwk, jku: 'https://attacker.example/jwks' };
    expect(await fixture.outcomeOf(fixture.forge({ header }))).toBe('verified');
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['a list', '[]'],
    ['null', 'null'],
  ])('is refused when its payload is %s', async (_what, payload) => {
    const compact = forgeToken(fixture.key, fixture.header, payload);
    expect(await fixture.outcomeOf(compact)).toBe('malformed');
  });

  it('is refused unread when it is too long', async () => {
    const lookedUp: unknown[] = [];
    const watched = await createTokenFixture({
      keys: (kid) => {
        lookedUp.push(kid);
        return fixture.publicKey;
      },
    });
    const tooLong = watched.forge({ claims: { filler: 'x'.repeat(8192) } });
    expect(await watched.outcomeOf(tooLong)).toBe('malformed');
    expect(lookedUp).toEqual([]);
    const longEnough = watched.forge({ claims: { filler: 'x'.repeat(5500) } });
    expect(await watched.outcomeOf(longEnough)).toBe('verified');
    expect(lookedUp).toEqual([watched.key.kid]);
  });

  it('is refused in every other spelling of the same bytes', async () => {
    let spellings = 0;
    for (const filler of ['', 'x', 'xx']) {
      const compact = fixture.forge({ header: { filler }, claims: { filler } });
      for (const part of [0, 1, 2] as const) {
        const other = respell(compact, part);
        if (other === undefined) continue;
        spellings += 1;
        expect(await fixture.outcomeOf(other)).toBe('malformed');
      }
      expect(await fixture.outcomeOf(compact)).toBe('verified');
    }
    expect(spellings).toBeGreaterThanOrEqual(7);
  });

  it('is never verified after any change of its text', async () => {
    const compact = fixture.forge();
    const position = fc.nat(compact.length - 1);
    const character = fc.constantFrom(...'ABCxyz019-_.= \u0000é');
    await fc.assert(
      fc.asyncProperty(position, character, fc.constantFrom(0, 1), async (at, text, removed) => {
        const changed = compact.slice(0, at) + text + compact.slice(at + removed);
        // Spaces between the scheme and the token belong to the header (RFC 9110, section 11.4).
        fc.pre(changed.trimStart() !== compact);
        expect(await fixture.outcomeOf(changed)).not.toBe('verified');
      }),
      { numRuns: 300 },
    );
  });

  it('is never verified after any flipped bit of its bytes', async () => {
    const parts = fixture.forge().split('.');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 1, 2), fc.nat(), async (part, bit) => {
        const bytes = Buffer.from(parts[part] ?? '', 'base64url');
        const at = bit % (bytes.length * 8);
        bytes.writeUInt8(bytes.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
        const changed = parts.with(part, bytes.toString('base64url')).join('.');
        expect(await fixture.outcomeOf(changed)).not.toBe('verified');
      }),
      { numRuns: 300 },
    );
  });

  it('never makes the verifier throw, whatever the header says', async () => {
    const part = fc.json().map(encodePart);
    const signed = fc.tuple(part, part).map(([header, claims]) => `Bearer ${header}.${claims}.AAAA`);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), signed), async (header) => {
        expect(await fixture.verifier.verify(header)).toMatchObject({ kind: 'refused' });
      }),
    );
  });
});
