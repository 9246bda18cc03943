import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { createSigningKey, jwks, loadSigningKeys, serializeSigningKeys } from './signing-key.ts';

const key = createSigningKey();

describe('a signing key', () => {
  it('is named by its thumbprint (RFC 7638)', async () => {
    const { kty, crv, x, y } = key;
    expect(key.kid).toBe(await calculateJwkThumbprint({ kty, crv, x, y }));
  });

  it('is another one each time', () => {
    expect(createSigningKey().d).not.toBe(key.d);
  });

  it('comes back from its text, in order', () => {
    const older = createSigningKey();
    const loaded = loadSigningKeys(serializeSigningKeys([key, older]));
    expect(loaded).toEqual({ kind: 'loaded', keys: [key, older] });
  });

  it('comes back though another tool wrote it without a name or with more members', () => {
    const { kid: _kid, use: _use, ...bare } = key;
    const text = JSON.stringify({ keys: [{ ...bare, key_ops: ['sign'], note: 'x' }] });
    expect(loadSigningKeys(text)).toEqual({ kind: 'loaded', keys: [key] });
  });
});

it.each([
  ['no JSON', 'nonsense'],
  ['nothing', ''],
  ['null', 'null'],
  ['no list', JSON.stringify({ keys: key })],
  ['an empty list', JSON.stringify({ keys: [] })],
  ['a bare key', JSON.stringify(key)],
  ['null for a key', JSON.stringify({ keys: [null] })],
  ['a number for a key', JSON.stringify({ keys: [7] })],
  ['a public key', JSON.stringify(jwks([key]))],
  ['a key of another name', JSON.stringify({ keys: [{ ...key, kid: 'x' }] })],
  ['a key of another kind', JSON.stringify({ keys: [{ ...key, kty: 'oct' }] })],
  ['a key on another curve', JSON.stringify({ keys: [{ ...key, crv: 'P-384' }] })],
  ['the private half of another key', JSON.stringify({ keys: [{ ...key, d: createSigningKey().d }] })],
  ['a private half of zero', JSON.stringify({ keys: [{ ...key, d: 'A'.repeat(43) }] })],
  ['a private half cut short', JSON.stringify({ keys: [{ ...key, d: key.d.slice(0, 20) }] })],
  ['one good key and one bad', JSON.stringify({ keys: [key, { ...key, x: key.y }] })],
])('is not loaded from %s', (_what, text) => {
  expect(loadSigningKeys(text)).toEqual({ kind: 'not_signing_keys' });
});

it('is published without its private half or anything unknown', () => {
  const { d: _secret, ...published } = key;
  const withMore = { ...key, note: 'internal' };
  expect(jwks([withMore])).toEqual({ keys: [published] });
  expect(published).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  expect(JSON.stringify(jwks([withMore]))).not.toContain(key.d);
});
