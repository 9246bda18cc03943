import type { KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { malleate } from '../../testing/forged-token.ts';
import { AUDIENCE, createTokenFixture, ISSUER, type TokenFixture } from '../../testing/token-fixture.ts';
import { createSigningKey, jwks } from '../authorization-server/signing-key.ts';
import { createRevocationRegistry } from './revocation-registry.ts';
import { createTokenVerifier } from './token-verifier.ts';

let fixture: TokenFixture;

beforeEach(async () => {
  fixture = await createTokenFixture();
});

describe('time', () => {
  it('ends a token at its very second', async () => {
    const compact = fixture.forge({ claims: { exp: fixture.now + 10 } });
    fixture.clock.advanceSeconds(9.999);
    expect(await fixture.outcomeOf(compact)).toBe('verified');
    fixture.clock.advanceSeconds(0.001);
    expect(await fixture.outcomeOf(compact)).toBe('expired');
    expect(await (await createTokenFixture()).outcomeOf(compact)).toBe('verified');
  });

  it.each([
    ['nbf', { nbf: 60 }],
    ['iat', { iat: 60 }],
    ['iat after nbf', { iat: 60, nbf: 1 }],
  ])('holds a token back until its %s', async (_what, offsets) => {
    const claims = Object.fromEntries(
      Object.entries(offsets).map(([name, offset]) => [name, fixture.now + offset]),
    );
    const compact = fixture.forge({ claims });
    expect(await fixture.outcomeOf(compact)).toBe('not_yet_valid');
    fixture.clock.advanceSeconds(59.999);
    expect(await fixture.outcomeOf(compact)).toBe('not_yet_valid');
    fixture.clock.advanceSeconds(0.001);
    expect(await fixture.outcomeOf(compact)).toBe('verified');
  });

  it('holds a token back again when the clock goes back', async () => {
    const compact = fixture.forge();
    expect(await fixture.outcomeOf(compact)).toBe('verified');
    fixture.clock.advanceSeconds(-1);
    expect(await fixture.outcomeOf(compact)).toBe('not_yet_valid');
  });

  it('bends by the tolerance and no more', async () => {
    const tolerant = await createTokenFixture({ clockToleranceSeconds: 5 });
    const compact = tolerant.forge({ claims: { iat: tolerant.now + 5, exp: tolerant.now + 10 } });
    expect(await tolerant.outcomeOf(compact)).toBe('verified');
    tolerant.clock.advanceSeconds(14.999);
    expect(await tolerant.outcomeOf(compact)).toBe('verified');
    tolerant.clock.advanceSeconds(0.001);
    expect(await tolerant.outcomeOf(compact)).toBe('expired');
  });

  it.each([-1, 301, Number.NaN])('takes no tolerance of %s', async (clockToleranceSeconds) => {
    await expect(createTokenFixture({ clockToleranceSeconds })).rejects.toThrow(RangeError);
  });
});

describe('a token that was verified before', () => {
  it('is not checked again for a while, and then is, so that a withdrawn key stops counting', async () => {
    let lookUps = 0;
    let withdrawn = false;
    const watched = await createTokenFixture({
      keys: () => {
        lookUps += 1;
        return withdrawn ? undefined : fixture.publicKey;
      },
    });
    const compact = watched.forge();
    expect(await watched.outcomeOf(compact)).toBe('verified');
    withdrawn = true;
    expect(await watched.outcomeOf(compact)).toBe('verified');
    expect(lookUps).toBe(1);
    watched.clock.advanceSeconds(300);
    expect(await watched.outcomeOf(compact)).toBe('bad_signature');
    expect(lookUps).toBe(2);
  });

  it('is refused once revoked, and so is the other form of its signature', async () => {
    const compact = fixture.forge();
    const twin = malleate(compact);
    expect(twin).not.toBe(compact);
    expect(await fixture.outcomeOf(compact)).toBe('verified');
    expect(await fixture.outcomeOf(twin)).toBe('verified');
    expect(await fixture.revoker.revoke(compact)).toEqual({ kind: 'revoked' });
    expect(await fixture.outcomeOf(compact)).toBe('revoked');
    expect(await fixture.outcomeOf(twin)).toBe('revoked');
    expect(await fixture.outcomeOf(malleate(await fixture.mint()))).toBe('verified');
  });

  it('is told from a twin that another key signed', async () => {
    const [header, payload] = fixture.forge().split('.');
    const [, , signature] = fixture.forge({ key: createSigningKey() }).split('.');
    expect(await fixture.outcomeOf(fixture.forge())).toBe('verified');
    expect(await fixture.outcomeOf(`${header}.${payload}.${signature}`)).toBe('bad_signature');
  });

  it('is forgotten when too many others came', async () => {
    let lookUps = 0;
    const small = await createTokenFixture({
      cacheSize: 2,
      keys: () => {
        lookUps += 1;
        return fixture.publicKey;
      },
    });
    const [a, b, c] = ['a', 'b', 'c'].map((jti) => small.forge({ claims: { jti } }));
    for (const compact of [a, b, a, c, a, b]) expect(await small.outcomeOf(compact ?? '')).toBe('verified');
    expect(lookUps).toBe(4);
  });
});

describe('a token on an open stream', () => {
  async function liveToken() {
    const outcome = await fixture.verifier.verify(`Bearer ${await fixture.mint({ ttlSeconds: 10 })}`);
    if (outcome.kind === 'refused') throw new Error(outcome.failure);
    return outcome.token;
  }

  it('is live until its end', async () => {
    const token = await liveToken();
    expect(fixture.verifier.isLive(token)).toBe(true);
    fixture.clock.advanceSeconds(10);
    expect(fixture.verifier.isLive(token)).toBe(false);
  });

  it('is live until it is revoked, and the listener hears of it by its hash', async () => {
    const token = await liveToken();
    const heard: string[] = [];
    fixture.revocations.onRevoked((tokenHash) => heard.push(tokenHash));
    await fixture.revocations.revoke(token);
    expect(fixture.verifier.isLive(token)).toBe(false);
    expect(heard).toEqual([token.tokenHash]);
  });
});

describe('what is broken and not the fault of the token', () => {
  it('rejects when the keys cannot be had, and recovers', async () => {
    let reachable = false;
    const far = await createTokenFixture({
      keys: async () => {
        if (!reachable) throw new Error('no route');
        return fixture.publicKey;
      },
    });
    const compact = far.forge();
    await expect(far.verifier.verify(`Bearer ${compact}`)).rejects.toThrow('no route');
    reachable = true;
    expect(await far.outcomeOf(compact)).toBe('verified');
  });

  it('rejects when the revocations were not loaded', async () => {
    const { clock, store, key, forge } = fixture;
    const revocations = createRevocationRegistry(store, clock);
    const verifier = createTokenVerifier({
      issuer: ISSUER,
      audience: AUDIENCE,
      keys: jwks([key]),
      clock,
      revocations,
    });
    await expect(verifier.verify(`Bearer ${forge()}`)).rejects.toThrow('loaded');
  });

  it('sees a revocation that came while the signature was being checked', async () => {
    const found = Promise.withResolvers<KeyObject>();
    const slow = await createTokenFixture({ keys: () => found.promise });
    const compact = slow.forge();
    const pending = slow.outcomeOf(compact);
    await slow.revoker.revoke(compact);
    found.resolve(fixture.publicKey);
    expect(await pending).toBe('revoked');
  });
});
