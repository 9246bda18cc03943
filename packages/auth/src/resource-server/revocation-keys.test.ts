import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTokenFixture, type TokenFixture } from '../../testing/token-fixture.ts';
import { revocationKey } from './revocation-keys.ts';

let fixture: TokenFixture;

beforeEach(async () => {
  fixture = await createTokenFixture();
});

async function verify(claims: Record<string, unknown>) {
  const outcome = await fixture.verifier.verify(`Bearer ${fixture.forge({ claims })}`);
  return outcome.kind === 'refused' ? outcome.failure : 'verified';
}

const GRANTED = { grant_id: 'grant-1', account_epoch: 3 };

describe('what ends more than one token', () => {
  it.each([
    ['its grant', revocationKey.grant('grant-1')],
    ['its account’s epoch', revocationKey.accountEpoch('nora', 3)],
    ['its client', revocationKey.client('reader')],
  ])('%s ends a token, also one that was accepted before and whose stream is open', async (_what, key) => {
    const outcome = await fixture.verifier.verify(`Bearer ${fixture.forge({ claims: GRANTED })}`);
    if (outcome.kind === 'refused') throw new Error(outcome.failure);
    await fixture.revocations.revokeKey(key, fixture.now + 7200);
    expect(fixture.verifier.isLive(outcome.token)).toBe(false);
    expect(await verify(GRANTED)).toBe('revoked');
    expect(await verify({ ...GRANTED, jti: 'another' })).toBe('revoked');
  });

  it.each([
    ['another grant', revocationKey.grant('grant-2')],
    ['another epoch', revocationKey.accountEpoch('nora', 2)],
    ['another account', revocationKey.accountEpoch('ben', 3)],
    ['another client', revocationKey.client('reader2')],
    ['a grant with the name of the client', revocationKey.grant('reader')],
    ['a client with the name of the grant', revocationKey.client('grant-1')],
  ])('%s ends nothing of it', async (_what, key) => {
    await fixture.revocations.revokeKey(key, fixture.now + 7200);
    expect(await verify(GRANTED)).toBe('verified');
  });

  it('a token of no grant has no grant’s end', async () => {
    await fixture.revocations.revokeKey(revocationKey.grant('undefined'), fixture.now + 7200);
    expect(await verify({})).toBe('verified');
  });

  it('of different kinds or names is never one key', () => {
    const made = fc.oneof(
      fc.string().map((id) => [['grant', id], revocationKey.grant(id)] as const),
      fc.string().map((id) => [['client', id], revocationKey.client(id)] as const),
      fc
        .tuple(fc.string(), fc.nat())
        .map(([sub, epoch]) => [['account', sub, epoch], revocationKey.accountEpoch(sub, epoch)] as const),
    );
    fc.assert(
      fc.property(made, made, ([one, key], [other, otherKey]) => {
        expect(key === otherKey).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});

it.each([
  ['a grant id that is no text', { grant_id: 7 }],
  ['an empty grant id', { grant_id: '' }],
  ['a grant id with a line feed', { grant_id: 'a\nb' }],
  ['an epoch that is text', { account_epoch: '3' }],
  ['a negative epoch', { account_epoch: -1 }],
  ['a fraction of an epoch', { account_epoch: 1.5 }],
  ['no epoch at all', { account_epoch: null }],
])('a token with %s is malformed', async (_what, claims) => {
  expect(await verify({ ...GRANTED, ...claims })).toBe('malformed');
});
