import * as oauth from 'openid-client';
import { expect, it } from 'vitest';
import {
  claimsIn,
  createSignInScene,
  REDIRECT,
  requestOf,
  VERIFIER,
  walk,
} from '../../testing/sign-in-scene.ts';

const CHECKS = { pkceCodeVerifier: VERIFIER, expectedState: 'a state' };

async function begin() {
  const scene = await createSignInScene();
  const config = await scene.register();
  const DPoP = oauth.getDPoPHandle(config, await oauth.randomDPoPKeyPair('ES256'));
  const callback = await walk(scene, await requestOf(config));
  return { scene, config, DPoP, callback };
}

it('binds a token to the key of a client that offers one (RFC 9449)', async () => {
  const { config, DPoP, callback } = await begin();
  const tokens = await oauth.authorizationCodeGrant(config, callback, CHECKS, {}, { DPoP });
  const thumbprint = await DPoP.calculateThumbprint();
  expect(tokens.token_type).toBe('dpop');
  expect(claimsIn(tokens.access_token).cnf).toEqual({ jkt: thumbprint });
  const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '', {}, { DPoP });
  expect(claimsIn(refreshed.access_token).cnf).toEqual({ jkt: thumbprint });
});

it('binds the refresh token of a public client to that key as well', async () => {
  const { config, DPoP, callback } = await begin();
  const tokens = await oauth.authorizationCodeGrant(config, callback, CHECKS, {}, { DPoP });
  const other = oauth.getDPoPHandle(config, await oauth.randomDPoPKeyPair('ES256'));
  for (const options of [{}, { DPoP: other }]) {
    const refresh = oauth.refreshTokenGrant(config, tokens.refresh_token ?? '', {}, options);
    await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
  }
});

it('takes a proof once', async () => {
  const { scene, config, DPoP, callback } = await begin();
  const proofs: (string | null)[] = [];
  config[oauth.customFetch] = (_url, { headers }) => {
    proofs.push(new Headers(headers).get('dpop'));
    return Promise.reject(new Error('kept back'));
  };
  await expect(oauth.authorizationCodeGrant(config, callback, CHECKS, {}, { DPoP })).rejects.toThrow();
  const statuses: number[] = [];
  for (const answered of [callback, await walk(scene, await requestOf(config))]) {
    const answer = await fetch(`${scene.issuer}/token`, {
      method: 'POST',
      headers: { dpop: `${proofs[0]}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: config.clientMetadata().client_id,
        code: answered.searchParams.get('code') ?? '',
        redirect_uri: REDIRECT,
        code_verifier: VERIFIER,
      }),
    });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([200, 400]);
});

it.each([600, -600])('takes no proof that is %i seconds off', async (seconds) => {
  const { config, DPoP, callback } = await begin();
  const { client_id: id } = config.clientMetadata();
  const skewed = new oauth.Configuration(
    config.serverMetadata(),
    id,
    { [oauth.clockSkew]: seconds },
    oauth.None(),
  );
  oauth.allowInsecureRequests(skewed);
  const theirs = oauth.getDPoPHandle(skewed, await oauth.randomDPoPKeyPair('ES256'));
  const redeemed = oauth.authorizationCodeGrant(skewed, callback, CHECKS, {}, { DPoP: theirs });
  await expect(redeemed).rejects.toMatchObject({ error: 'invalid_dpop_proof' });
  const tokens = await oauth.authorizationCodeGrant(config, callback, CHECKS, {}, { DPoP });
  expect(tokens.token_type).toBe('dpop');
});
