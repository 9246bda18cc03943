import { beforeEach, expect, it } from 'vitest';
import { createCountingRandomness } from '../../testing/counting-randomness.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { createNonces, type Nonces } from './nonces.ts';

let clock: VirtualClock;
let nonces: Nonces;

beforeEach(() => {
  clock = createVirtualClock();
  nonces = createNonces({ clock, randomness: createCountingRandomness(), lifeSeconds: 300 });
});

it('a nonce is good for what it was issued for and nothing else', () => {
  const nonce = nonces.issue(['sign_in', 'one']);
  expect(nonces.isGood(nonce, ['sign_in', 'one'])).toBe(true);
  for (const about of [['sign_in', 'two'], ['enrol', 'one'], ['sign_in'], ['sign_in","one'], []]) {
    expect(nonces.isGood(nonce, about)).toBe(false);
  }
});

it('a nonce is good up to its last second and not after', () => {
  const nonce = nonces.issue(['one']);
  clock.advanceSeconds(299);
  expect(nonces.isGood(nonce, ['one'])).toBe(true);
  clock.advanceSeconds(1);
  expect(nonces.isGood(nonce, ['one'])).toBe(false);
  expect(nonces.spend(nonce, ['one'], 'nora')).toBe(false);
});

it('a nonce is used up once, whoever does it', () => {
  const nonce = nonces.issue(['one']);
  expect(nonces.spend(nonce, ['one'], 'nora')).toBe(true);
  expect(nonces.isGood(nonce, ['one'])).toBe(false);
  expect(nonces.spend(nonce, ['one'], 'ben')).toBe(false);
});

it('every bit of a nonce counts', () => {
  const nonce = nonces.issue(['one']);
  for (let bit = 0; bit < 54 * 8; bit += 1) {
    const bytes = Buffer.from(nonce, 'base64url');
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(nonces.isGood(bytes.toString('base64url'), ['one'])).toBe(false);
  }
});

it.each([undefined, null, 7, {}, [], '', 'A'.repeat(72)])('%j is no nonce', (value) => {
  expect(nonces.isGood(value, ['one'])).toBe(false);
});

it('another spelling of a nonce is no nonce', () => {
  let nonce = nonces.issue(['one']);
  while (!/[-_]/.test(nonce)) nonce = nonces.issue(['one']);
  const respelt = nonce.replaceAll('-', '+').replaceAll('_', '/');
  expect(Buffer.from(respelt, 'base64url')).toEqual(Buffer.from(nonce, 'base64url'));
  for (const other of [respelt, `${nonce}=`, ` ${nonce}`]) {
    expect(nonces.isGood(other, ['one'])).toBe(false);
    expect(nonces.spend(other, ['one'], 'nora')).toBe(false);
  }
  expect(nonces.spend(nonce, ['one'], 'nora')).toBe(true);
});

it('what another process issued is no nonce here', () => {
  const randomness = createCountingRandomness();
  randomness.bytes('', '', 4);
  const other = createNonces({ clock, randomness, lifeSeconds: 300 });
  expect(nonces.isGood(other.issue(['one']), ['one'])).toBe(false);
});

it('any number may be issued: the first stays good', () => {
  const first = nonces.issue(['one']);
  for (let n = 0; n < 10_000; n += 1) nonces.issue(['one']);
  expect(nonces.isGood(first, ['one'])).toBe(true);
});

it('an account that uses up 64 has to wait, and nobody else has', () => {
  const spend = (accountId: string) => nonces.spend(nonces.issue(['one']), ['one'], accountId);
  for (let n = 0; n < 64; n += 1) expect(spend('nora')).toBe(true);
  expect(spend('nora')).toBe(false);
  expect(spend('ben')).toBe(true);
  clock.advanceSeconds(300);
  expect(spend('nora')).toBe(true);
});

it('the secrets of a nonce differ by nonce and purpose, and are not in it', () => {
  const [one, two] = [nonces.issue(['one']), nonces.issue(['one'])];
  const secrets = [
    nonces.secretOf(one, 'nonce'),
    nonces.secretOf(one, 'verifier'),
    nonces.secretOf(two, 'nonce'),
  ];
  expect(new Set(secrets).size).toBe(3);
  for (const secret of secrets) {
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(one.slice(-43)).not.toBe(secret);
  }
});
