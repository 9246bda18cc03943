import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIdentifier } from './access-token-format.ts';
import { accountIdOf } from './outside-identity.ts';
import { isUpstreamIssuer } from './sign-in/upstream-client.ts';

describe('the account id of an upstream identity', () => {
  it.each([
    ['https://id.example', '4711', 'https://id.example#4711'],
    ['https://id.example/', 'ann@example.com', 'https://id.example/#ann@example.com'],
    ['https://id.example', 'auth0|4711', 'https://id.example#auth0%7C4711'],
    ['https://id.example', 'a b\'"#%', 'https://id.example#a%20b%27%22%23%25'],
  ])('of %s and %s is %s', (issuer, sub, id) => {
    expect(accountIdOf(issuer, sub)).toBe(id);
  });

  it.each([undefined, null, 7, '', 'x'.repeat(256), 'Zoë', 'a\nb', '\ud800', '\u0000'])(
    'is none for the sub %j',
    (sub) => {
      expect(accountIdOf('https://id.example', sub)).toBeUndefined();
    },
  );

  it('fits into a token and is never the id of another person, of whichever issuer', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'A', '#', '%', '2', '3', ' ', '/', ':', '|'),
      minLength: 1,
      maxLength: 6,
    });
    const sub = fc.oneof(text, fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 255 }));
    fc.assert(
      fc.property(text, sub, text, sub, (issuer, one, otherIssuer, other) => {
        const id = accountIdOf(issuer, one);
        const otherId = accountIdOf(otherIssuer, other);
        expect(isIdentifier(id)).toBe(true);
        expect(id).toContain('#');
        expect(id?.length).toBeLessThanOrEqual(1100);
        expect(id === otherId).toBe(issuer === otherIssuer && one === other);
      }),
    );
  });
});

describe('an issuer', () => {
  it.each([
    'https://id.example',
    'https://id.example/tenant/',
    'http://127.0.0.1:9000',
    'http://localhost:9000',
  ])('may be %s', (issuer) => {
    expect(isUpstreamIssuer(issuer)).toBe(true);
  });

  it.each([
    '',
    'id.example',
    'http://id.example',
    'http://127.0.0.1.evil.example',
    'ftp://localhost',
    'https://id.example?tenant=1',
    'https://id.example?',
    'https://id.example#',
    'https://ann:secret@id.example',
  ])('may not be %s', (issuer) => {
    expect(isUpstreamIssuer(issuer)).toBe(false);
  });
});
