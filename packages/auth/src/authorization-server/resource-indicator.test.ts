import * as oauth from 'openid-client';
import { expect, it } from 'vitest';
import { claimsIn, createSignInScene, redeem, requestOf, signIn, walk } from '../../testing/sign-in-scene.ts';

function repeated(resources: readonly string[]): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const resource of resources) parameters.append('resource', resource);
  return parameters;
}

const SPELLINGS = [undefined, '/mcp', '/mcp/'];
const PAIRS = SPELLINGS.flatMap((asked) => SPELLINGS.map((redeemed) => [asked, redeemed] as const));

it.each(PAIRS)('means the one resource when %s is asked for and %s is redeemed', async (asked, redeemed) => {
  const scene = await createSignInScene();
  const config = await scene.register();
  const parameters = (path: string | undefined): Record<string, string> =>
    path === undefined ? {} : { resource: `${scene.issuer}${path}` };
  const callback = await walk(scene, await requestOf(config, parameters(asked)));
  const tokens = await redeem(config, callback, parameters(redeemed));
  expect(claimsIn(tokens.access_token).aud).toBe(`${scene.issuer}/mcp`);
  const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '', parameters(redeemed));
  expect(claimsIn(refreshed.access_token).aud).toBe(`${scene.issuer}/mcp`);
  expect(await scene.outcomeOf(refreshed.access_token)).toBe('verified');
});

it.each([
  ['a sibling', (issuer: string) => [`${issuer}/other`]],
  ['a parent', (issuer: string) => [issuer]],
  ['what is below it', (issuer: string) => [`${issuer}/mcp/x`]],
  ['two slashes', (issuer: string) => [`${issuer}/mcp//`]],
  ['a query', (issuer: string) => [`${issuer}/mcp?a=b`]],
  ['a fragment', (issuer: string) => [`${issuer}/mcp#a`]],
  ['another port', () => ['http://127.0.0.1:1/mcp']],
  ['no address', () => ['mcp']],
  ['ours and a sibling', (issuer: string) => [`${issuer}/mcp`, `${issuer}/other`]],
  ['a sibling and ours', (issuer: string) => [`${issuer}/other`, `${issuer}/mcp`]],
])('is refused as %s, in the request and when the code is redeemed', async (_what, resources) => {
  const scene = await createSignInScene();
  const config = await scene.register();
  const request = await requestOf(config);
  for (const resource of resources(scene.issuer)) request.searchParams.append('resource', resource);
  const refused = await walk(scene, request);
  expect(Object.fromEntries(refused.searchParams)).toMatchObject({ error: 'invalid_target' });

  const callback = await walk(scene, await requestOf(config));
  const parameters = repeated(resources(scene.issuer));
  const checks = { pkceCodeVerifier: 'v'.repeat(64), expectedState: 'a state' };
  await expect(oauth.authorizationCodeGrant(config, callback, checks, parameters)).rejects.toMatchObject({
    error: 'invalid_target',
  });
});

it('may be said twice', async () => {
  const scene = await createSignInScene();
  const config = await scene.register();
  const request = await requestOf(config);
  for (const path of ['/mcp', '/mcp/', '/mcp'])
    request.searchParams.append('resource', `${scene.issuer}${path}`);
  const callback = await walk(scene, request);
  const parameters = repeated([`${scene.issuer}/mcp`, `${scene.issuer}/mcp`]);
  const checks = { pkceCodeVerifier: 'v'.repeat(64), expectedState: 'a state' };
  const tokens = await oauth.authorizationCodeGrant(config, callback, checks, parameters);
  expect(claimsIn(tokens.access_token).aud).toBe(`${scene.issuer}/mcp`);
});

it('cannot be changed by a refresh', async () => {
  const scene = await createSignInScene();
  const config = await scene.register();
  const tokens = await signIn(scene, config);
  const elsewhere = { resource: `${scene.issuer}/other` };
  await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? '', elsewhere)).rejects.toMatchObject({
    error: 'invalid_target',
  });
});
