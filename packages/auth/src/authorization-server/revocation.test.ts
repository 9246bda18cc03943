import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { forgeToken } from '../../testing/forged-token.ts';
import { claimsIn, createSignInScene, signIn } from '../../testing/sign-in-scene.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { createRevocationRegistry } from '../resource-server/revocation-registry.ts';
import { createSigningKey } from './signing-key.ts';

async function begin() {
  const scene = await createSignInScene();
  const config = await scene.register();
  const tokens = await signIn(scene, config);
  return { scene, config, access: tokens.access_token, refresh: tokens.refresh_token ?? '' };
}

describe('revoking an access token', () => {
  it.each(['access_token', 'refresh_token', undefined])('ends that token, hinted at as %s', async (hint) => {
    const { scene, config, access, refresh } = await begin();
    await oauth.tokenRevocation(config, access, hint === undefined ? {} : { token_type_hint: hint });
    expect(await scene.outcomeOf(access)).toBe('revoked');
    const next = await oauth.refreshTokenGrant(config, refresh);
    expect(await scene.outcomeOf(next.access_token)).toBe('verified');
  });

  it('may be said twice', async () => {
    const { scene, config, access } = await begin();
    await oauth.tokenRevocation(config, access);
    await oauth.tokenRevocation(config, access);
    expect(await scene.outcomeOf(access)).toBe('revoked');
  });

  it('of another client does nothing and says nothing', async () => {
    const { scene, access } = await begin();
    await oauth.tokenRevocation(await scene.register(), access);
    expect(await scene.outcomeOf(access)).toBe('verified');
  });

  it('that we never made does nothing and says nothing', async () => {
    const { scene, config, access } = await begin();
    const forged = forgeToken(createSigningKey(), { alg: 'ES256', typ: 'at+jwt' }, claimsIn(access));
    await oauth.tokenRevocation(config, forged);
    expect(await scene.outcomeOf(access)).toBe('verified');
  });

  it('needs a client that proves who it is', async () => {
    const scene = await createSignInScene();
    const config = await scene.register({ token_endpoint_auth_method: 'client_secret_post' });
    const { client_id: id, client_secret: secret } = config.clientMetadata();
    const owner = await scene.discover(id, oauth.ClientSecretPost(`${secret}`));
    const { access_token: access } = await signIn(scene, owner);
    for (const authentication of [oauth.None(), oauth.ClientSecretPost('a guess')]) {
      const thief = await scene.discover(id, authentication);
      await expect(oauth.tokenRevocation(thief, access)).rejects.toMatchObject({ error: 'invalid_client' });
    }
    expect(await scene.outcomeOf(access)).toBe('verified');
    await oauth.tokenRevocation(owner, access);
    expect(await scene.outcomeOf(access)).toBe('revoked');
  });
});

it('a revocation that cannot be kept is not promised', async () => {
  const failing = { add: () => Promise.reject(new Error('the disk is gone')), all: async () => [] };
  const revocations = createRevocationRegistry(failing, createVirtualClock());
  await revocations.load();
  const scene = await createSignInScene({ revocations });
  const config = await scene.register();
  const tokens = await signIn(scene, config);
  for (const token of [tokens.access_token, tokens.refresh_token ?? '']) {
    const answer = await fetch(`${scene.issuer}/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: config.clientMetadata().client_id }),
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  }
  expect(`${scene.faults}`).toContain('the disk is gone');
});

describe('revoking a refresh token', () => {
  it('ends the grant with its access tokens', async () => {
    const { scene, config, access, refresh } = await begin();
    await oauth.tokenRevocation(config, refresh);
    expect(await scene.outcomeOf(access)).toBe('revoked');
    await expect(oauth.refreshTokenGrant(config, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('that was used before ends the grant too', async () => {
    const { scene, config, access, refresh } = await begin();
    const next = await oauth.refreshTokenGrant(config, refresh);
    await oauth.tokenRevocation(config, refresh);
    expect(await scene.outcomeOf(access)).toBe('revoked');
    await expect(oauth.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toThrow();
  });

  it('of another client does nothing and says nothing', async () => {
    const { scene, config, access, refresh } = await begin();
    await oauth.tokenRevocation(await scene.register(), refresh);
    expect(await scene.outcomeOf(access)).toBe('verified');
    expect(await oauth.refreshTokenGrant(config, refresh)).toMatchObject({ token_type: 'bearer' });
  });
});

it('a grant that is taken back ends at once and for good', async () => {
  const { scene, config, access, refresh } = await begin();
  const ended: string[] = [];
  scene.revocations.onRevoked((key) => ended.push(key));
  await scene.server.endGrant(`${claimsIn(access).grant_id}`);
  expect(ended).toHaveLength(1);
  expect(await scene.outcomeOf(access)).toBe('revoked');
  await expect(oauth.refreshTokenGrant(config, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
});

it.each(['', 'nonsense', 'a.b.c', 'e30.e30.', 'x'.repeat(40_000)])(
  'nothing comes of %.20j',
  async (token) => {
    const { scene, config, access } = await begin();
    const answer = await fetch(`${scene.issuer}/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: config.clientMetadata().client_id }),
    });
    expect(answer.status).toBe(token === '' ? 400 : 200);
    expect(await scene.outcomeOf(access)).toBe('verified');
  },
);
