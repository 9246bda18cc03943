import { beforeEach, describe, expect, it } from 'vitest';
import { createProofMaker, type ProofMaker } from '../../testing/proof-maker.ts';
import { createTokenFixture, type TokenFixture } from '../../testing/token-fixture.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { createProofCheck } from './possession-proof.ts';

const HERE = 'https://resource.example/mcp';

let clock: VirtualClock;
let fixture: TokenFixture;
let holder: ProofMaker;
let bound: string;

beforeEach(async () => {
  clock = createVirtualClock();
  const used = new Set<string>();
  const use = async (id: string): Promise<boolean> => used.size < used.add(id).size;
  fixture = await createTokenFixture({ checkProof: createProofCheck({ clock, ids: { use } }) });
  holder = await createProofMaker({ method: 'POST', address: HERE, now: fixture.now });
  bound = fixture.forge({ claims: { cnf: { jkt: holder.thumbprint } } });
});

async function present(
  proofs: readonly string[],
  { scheme = 'DPoP', token = bound, method = 'POST', addresses = [HERE] } = {},
): Promise<string> {
  const outcome = await fixture.verifier.verify(`${scheme} ${token}`, { proofs, method, addresses });
  return outcome.kind === 'verified' ? 'verified' : outcome.failure;
}

describe('a token that is bound to a key', () => {
  it('counts with a proof that its holder has the key, each proof once', async () => {
    const proof = await holder.prove(bound);
    expect(await present([proof])).toBe('verified');
    expect(await present([proof])).toBe('proof_replayed');
    expect(await present([await holder.prove(bound)])).toBe('verified');
  });

  it('counts at every address that the server goes by, whatever its spelling', async () => {
    const local = 'http://localhost:8787/mcp';
    const proof = await holder.prove(bound, { claims: { htu: 'HTTP://LOCALHOST:8787/mcp?page=2' } });
    expect(await present([proof], { addresses: [HERE, local] })).toBe('verified');
  });

  it('is worth nothing alone, and an unbound one nothing with a proof', async () => {
    expect(await present([], { scheme: 'Bearer' })).toBe('wrong_scheme');
    expect(await present([await holder.prove(bound)], { scheme: 'Bearer' })).toBe('wrong_scheme');
    const free = fixture.forge();
    expect(await present([await holder.prove(free)], { token: free })).toBe('wrong_scheme');
    const unprepared = await createTokenFixture();
    const outcome = await unprepared.verifier.verify(`DPoP ${bound}`, {
      proofs: [await holder.prove(bound)],
      method: 'POST',
      addresses: [HERE],
    });
    expect(outcome).toEqual({ kind: 'refused', failure: 'wrong_scheme' });
  });

  it('dies with a revocation that comes while the proof is judged', async () => {
    const proof = await holder.prove(bound);
    const waiting = present([proof]);
    await fixture.revoker.revoke(bound);
    expect(await waiting).toBe('revoked');
  });

  it.each([
    ['another method', { claims: { htm: 'GET' } }],
    ['another address', { claims: { htu: 'https://resource.example/write' } }],
    ['another host', { claims: { htu: 'https://elsewhere.example/mcp' } }],
    ['another scheme', { claims: { htu: 'http://resource.example/mcp' } }],
    ['no address', { claims: { htu: undefined } }],
    ['an address that is none', { claims: { htu: 'mcp' } }],
    ['another token', { claims: { ath: 'x'.repeat(43) } }],
    ['no token', { claims: { ath: undefined } }],
    ['no id', { claims: { jti: undefined } }],
    ['an empty id', { claims: { jti: '' } }],
    ['an endless id', { claims: { jti: 'x'.repeat(257) } }],
    ['no time', { claims: { iat: undefined } }],
    ['another type', { header: { typ: 'JWT' } }],
    ['no key', { header: { jwk: undefined } }],
  ])('is worth nothing with a proof for %s', async (_what, change) => {
    expect(await present([await holder.prove(bound, change)])).toBe('bad_proof');
  });

  it('is worth nothing with a proof of another key, also when that claims to be the right one', async () => {
    const thief = await createProofMaker({ method: 'POST', address: HERE, now: fixture.now });
    expect(await present([await thief.prove(bound)])).toBe('bad_proof');
    expect(await present([await thief.prove(bound, { header: { jwk: holder.jwk } })])).toBe('bad_proof');
  });

  it('is worth nothing with a proof that brings a private or a symmetric key', async () => {
    const withPrivate = { header: { jwk: { ...holder.jwk, d: 'AAAA' } } };
    expect(await present([await holder.prove(bound, withPrivate)])).toBe('bad_proof');
    const symmetric = { header: { jwk: { kty: 'oct', k: 'AAAA' } } };
    expect(await present([await holder.prove(bound, symmetric)])).toBe('bad_proof');
  });

  it.each([-301, 301])('is worth nothing with a proof that is %d seconds off', async (seconds) => {
    const at = (off: number) => holder.prove(bound, { claims: { iat: fixture.now + off } });
    expect(await present([await at(seconds)])).toBe('bad_proof');
    expect(await present([await at(seconds - Math.sign(seconds))])).toBe('verified');
  });

  it.each([
    ['none', []],
    ['two', ['proof', 'proof']],
    ['nonsense', ['nonsense']],
    ['an empty one', ['']],
    ['one too long', ['x'.repeat(4097)]],
  ])('is worth nothing with %s', async (_what, proofs) => {
    expect(await present(proofs)).toBe('bad_proof');
  });

  it('is worth nothing with two good ones', async () => {
    expect(await present([await holder.prove(bound), await holder.prove(bound)])).toBe('bad_proof');
  });

  it('stays bound: a confirmation that is no thumbprint is malformed', async () => {
    for (const cnf of [null, {}, 'x', { jkt: 7 }, { jkt: 'short' }, { 'x5t#S256': 'x'.repeat(43) }]) {
      const token = fixture.forge({ claims: { cnf } });
      expect(await present([await holder.prove(token)], { token })).toBe('malformed');
    }
  });
});
