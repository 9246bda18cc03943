import { beforeEach, describe, expect, it } from 'vitest';
import { createCountingRandomness } from '../../testing/counting-randomness.ts';
import { createTokenFixture, GRANT, type TokenFixture } from '../../testing/token-fixture.ts';
import { createPairing, type Pairing } from './pairing.ts';

const PAGE_GRANT = { ...GRANT, page: 'device' };
let fixture: TokenFixture;
let pairing: Pairing;

beforeEach(async () => {
  fixture = await createTokenFixture();
  const { issuer, clock } = fixture;
  pairing = createPairing({ issuer, clock, randomness: createCountingRandomness() });
});

function offerCode(grant = PAGE_GRANT): string {
  const offer = pairing.offer(grant);
  if (offer.kind === 'refused') throw new Error(offer.fault);
  return offer.code;
}

describe('a code', () => {
  it('is 128 bits, for ten minutes', () => {
    const offer = pairing.offer(PAGE_GRANT);
    expect(offer).toMatchObject({ kind: 'offered', expiresAt: fixture.now + 600 });
    expect(Buffer.from(offerCode(), 'base64url')).toHaveLength(16);
  });

  it('brings the token that was promised', async () => {
    const paired = await pairing.redeem(offerCode());
    if (paired.kind === 'refused') throw new Error('refused');
    expect(paired).toMatchObject({ page: 'device', expiresIn: 3600, scope: 'notes.read notes.write' });
    expect(await fixture.verifier.verify(`Bearer ${paired.token}`)).toMatchObject({
      kind: 'verified',
      token: { sub: 'nora', clientId: 'reader', subjects: new Set(['alpha', 'beta']) },
    });
  });

  it('gives a token whose life begins when it is fetched', async () => {
    const code = offerCode();
    fixture.clock.advanceSeconds(500);
    const paired = await pairing.redeem(code);
    if (paired.kind === 'refused') throw new Error('refused');
    fixture.clock.advanceSeconds(3599);
    expect(await fixture.outcomeOf(paired.token)).toBe('verified');
  });

  it('works once', async () => {
    const code = offerCode();
    expect(await pairing.redeem(code)).toMatchObject({ kind: 'paired' });
    expect(await pairing.redeem(code)).toEqual({ kind: 'refused' });
  });

  it('gives one token to many who bring it at once', async () => {
    const code = offerCode();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => pairing.redeem(code)));
    expect(outcomes.filter(({ kind }) => kind === 'paired')).toHaveLength(1);
  });

  it('works up to its last second and not after', async () => {
    const [early, late] = [offerCode(), offerCode()];
    fixture.clock.advanceSeconds(599.999);
    expect(await pairing.redeem(early)).toMatchObject({ kind: 'paired' });
    fixture.clock.advanceSeconds(0.001);
    expect(await pairing.redeem(late)).toEqual({ kind: 'refused' });
    fixture.clock.advanceSeconds(-300);
    expect(await pairing.redeem(late)).toEqual({ kind: 'refused' });
  });

  it('leaves the other codes as they are', async () => {
    const [first, second] = [offerCode(), offerCode()];
    expect(first).not.toBe(second);
    await pairing.redeem(first);
    expect(await pairing.redeem(second)).toMatchObject({ kind: 'paired' });
  });
});

it.each([undefined, null, 7, {}, ['code'], '', 'unknown', 'A'.repeat(22), '__proto__'])(
  'nothing comes of %j',
  async (code) => {
    offerCode();
    expect(await pairing.redeem(code)).toEqual({ kind: 'refused' });
  },
);

it('nothing comes of another spelling of a code', async () => {
  const code = offerCode();
  const last = code.slice(-1) === 'B' ? 'C' : 'B';
  expect(await pairing.redeem(`${code.slice(0, -1)}${last}`)).toEqual({ kind: 'refused' });
  expect(await pairing.redeem(`${code}=`)).toEqual({ kind: 'refused' });
  expect(await pairing.redeem(code)).toMatchObject({ kind: 'paired' });
});

describe('an offer', () => {
  it('is refused for what cannot be minted', () => {
    expect(pairing.offer({ ...PAGE_GRANT, ttlSeconds: 0 })).toEqual({
      kind: 'refused',
      fault: 'invalid_ttl',
    });
  });

  it('is refused while too many codes are outstanding, until they end', () => {
    for (let n = 0; n < 256; n += 1) offerCode();
    expect(pairing.offer(PAGE_GRANT)).toEqual({ kind: 'refused', fault: 'too_many_outstanding' });
    fixture.clock.advanceSeconds(600);
    expect(pairing.offer(PAGE_GRANT)).toMatchObject({ kind: 'offered' });
  });
});
