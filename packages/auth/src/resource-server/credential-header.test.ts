import { beforeEach, describe, expect, it } from 'vitest';
import { createTokenFixture, type TokenFixture } from '../../testing/token-fixture.ts';

let fixture: TokenFixture;

beforeEach(async () => {
  fixture = await createTokenFixture();
});

describe('the Authorization header', () => {
  it.each([
    ['no header', undefined, 'missing'],
    ['no header in a list', [], 'missing'],
    ['an empty header', '', 'missing'],
    ['a proof’s scheme alone', 'DPoP', 'malformed'],
    ['another scheme', 'Basic bm9yYTpzZWNyZXQ=', 'missing'],
    ['a scheme that only begins alike', 'BearerX abc', 'missing'],
    ['the scheme alone', 'Bearer', 'malformed'],
    ['the scheme and a space', 'Bearer ', 'malformed'],
    ['an opaque token', 'Bearer abcdef', 'malformed'],
    ['four parts', 'Bearer a.b.c.d', 'malformed'],
    ['an empty part', 'Bearer a.b.', 'malformed'],
    ['padding', 'Bearer YQ==.YQ==.YQ==', 'malformed'],
    ['bytes outside the alphabet', 'Bearer a.b.ç', 'malformed'],
  ])('%s is %s: %s', async (_what, header, failure) => {
    expect(await fixture.verifier.verify(header)).toEqual({ kind: 'refused', failure });
  });

  it.each(['Bearer', 'bearer', 'BEARER'])('takes the scheme in any case: %s', async (scheme) => {
    expect(await fixture.verifier.verify(`${scheme} ${fixture.forge()}`)).toMatchObject({ kind: 'verified' });
  });

  it('takes a list of exactly one header', async () => {
    const header = `Bearer ${fixture.forge()}`;
    expect(await fixture.verifier.verify([header])).toMatchObject({ kind: 'verified' });
    expect(await fixture.verifier.verify([header, header])).toEqual({
      kind: 'refused',
      failure: 'malformed',
    });
  });

  it.each([
    ['joined by a comma', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['after one another', (token: string) => `Bearer ${token} ${token}`],
    ['with a line break', (token: string) => `Bearer ${token}\nBearer ${token}`],
    ['with a trailing line break', (token: string) => `Bearer ${token}\n`],
    ['as an URL with a query', (token: string) => `Bearer ?access_token=${token}`],
  ])('refuses tokens %s', async (_what, header) => {
    const outcome = await fixture.verifier.verify(header(fixture.forge()));
    expect(outcome).toEqual({ kind: 'refused', failure: 'malformed' });
  });
});
