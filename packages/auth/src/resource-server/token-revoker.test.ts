import { beforeEach, expect, it } from 'vitest';
import { encodePart, malleate } from '../../testing/forged-token.ts';
import { createTokenFixture, type TokenFixture } from '../../testing/token-fixture.ts';
import { createSigningKey } from '../authorization-server/signing-key.ts';

let fixture: TokenFixture;

beforeEach(async () => {
  fixture = await createTokenFixture();
});

it('ends a token that nobody has shown yet, and ends it again', async () => {
  const compact = await fixture.mint();
  expect(await fixture.revoker.revoke(compact)).toEqual({ kind: 'revoked' });
  expect(await fixture.revoker.revoke(compact)).toEqual({ kind: 'revoked' });
  expect(await fixture.outcomeOf(compact)).toBe('revoked');
  expect(fixture.store.kept.size).toBe(1);
});

it('ends a token by either form of its signature', async () => {
  const compact = await fixture.mint();
  expect(await fixture.revoker.revoke(malleate(compact))).toEqual({ kind: 'revoked' });
  expect(await fixture.outcomeOf(compact)).toBe('revoked');
});

it('ends one token and leaves its holder the others', async () => {
  const [lost, kept] = [await fixture.mint(), await fixture.mint()];
  await fixture.revoker.revoke(lost);
  expect(await fixture.outcomeOf(kept)).toBe('verified');
});

it('takes a token that has ended by itself', async () => {
  const compact = await fixture.mint({ ttlSeconds: 1 });
  fixture.clock.advanceSeconds(2);
  expect(await fixture.revoker.revoke(compact)).toEqual({ kind: 'revoked' });
});

it.each([
  ['nothing', ''],
  ['a word', 'token'],
  ['three words', 'a.b.c'],
  ['a header line', 'Bearer a.b.c'],
  ['an unsigned token', `${encodePart({ alg: 'ES256' })}.${encodePart({})}.`],
  ['a very long text', 'a'.repeat(100_000)],
])('says that %s is no token', async (_what, text) => {
  expect(await fixture.revoker.revoke(text)).toEqual({ kind: 'not_a_token' });
});

it('says that a signed text of another type is no access token', async () => {
  const compact = fixture.forge({ header: { typ: 'logout+jwt' } });
  expect(await fixture.revoker.revoke(compact)).toEqual({ kind: 'not_a_token' });
});

it('says that a signed text too long to be accepted is no token', async () => {
  const compact = fixture.forge({ claims: { filler: 'x'.repeat(8192) } });
  expect(await fixture.revoker.revoke(compact)).toEqual({ kind: 'not_a_token' });
});

it('leaves alone what is not ours, and nobody can pass a forgery off as ours', async () => {
  const genuine = fixture.forge();
  for (const foreign of [
    fixture.forge({ claims: { iss: 'https://other.example' } }),
    fixture.forge({ claims: { aud: 'https://other.example/mcp' } }),
    fixture.forge({ key: createSigningKey() }),
    fixture.forge({ header: { kid: 'unknown' } }),
    fixture.forge({ header: { alg: 'none' } }),
    `${genuine.slice(0, genuine.lastIndexOf('.'))}.AAAA`,
  ]) {
    expect(await fixture.revoker.revoke(foreign)).toEqual({ kind: 'not_ours' });
  }
  expect(fixture.store.kept.size).toBe(0);
  expect(await fixture.outcomeOf(genuine)).toBe('verified');
});
