import * as oauth from 'openid-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  claimsIn,
  createSignInScene,
  NORA,
  REDIRECT,
  redeem,
  requestOf,
  signIn,
  VERIFIER,
  walk,
} from '../../testing/sign-in-scene.ts';

/** What the answer at the redirect URI says. */
function said(callback: URL): Record<string, string> {
  return Object.fromEntries(callback.searchParams);
}

it('brings a strict client a token that says who may read what of whom, and prints nothing', async () => {
  const printed = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const scene = await createSignInScene();
  const config = await scene.register();
  const tokens = await signIn(scene, config, { scope: 'notes.read', resource: `${scene.issuer}/mcp` });
  const now = scene.clock.now() / 1000;
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'notes.read' });
  expect(tokens.id_token).toBeUndefined();
  expect(claimsIn(tokens.access_token)).toEqual({
    iss: scene.issuer,
    aud: `${scene.issuer}/mcp`,
    sub: 'nora',
    client_id: config.clientMetadata().client_id,
    scope: 'notes.read',
    subjects: ['alpha', 'beta'],
    grant_id: expect.any(String),
    account_epoch: NORA.epoch,
    jti: expect.any(String),
    iat: now,
    exp: now + 3600,
  });
  expect(await scene.outcomeOf(tokens.access_token)).toBe('verified');
  expect(scene.faults).toEqual([]);
  for (const print of printed) expect(print).not.toHaveBeenCalled();
});

describe('proof of possession of the code (RFC 7636)', () => {
  it.each([
    ['is refused as plain', { code_challenge_method: 'plain', code_challenge: VERIFIER }],
    ['is refused when nothing says how it was made', { code_challenge_method: '' }],
    ['is refused when it is missing', { code_challenge_method: '', code_challenge: '' }],
    ['is refused when it is too short', { code_challenge: 'short' }],
  ])('%s', async (_what, parameters) => {
    const scene = await createSignInScene();
    const callback = await walk(scene, await requestOf(await scene.register(), parameters));
    expect(said(callback)).toMatchObject({ error: 'invalid_request', iss: scene.issuer, state: 'a state' });
    expect(said(callback).code).toBeUndefined();
  });

  it('fails for a verifier that does not match, and the code still counts for its owner', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    const callback = await walk(scene, await requestOf(config));
    const thief = { pkceCodeVerifier: 'w'.repeat(64), expectedState: 'a state' };
    await expect(oauth.authorizationCodeGrant(config, callback, thief)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(await redeem(config, callback)).toMatchObject({ scope: expect.any(String) });
  });
});

describe('a code', () => {
  it('that is used twice ends the tokens that it brought', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    const callback = await walk(scene, await requestOf(config));
    const tokens = await redeem(config, callback);
    expect(await scene.outcomeOf(tokens.access_token)).toBe('verified');
    await expect(redeem(config, callback)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(await scene.outcomeOf(tokens.access_token)).toBe('revoked');
  });

  it('that two look up before either uses it brings at most tokens that are dead', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    const callback = await walk(scene, await requestOf(config));
    scene.meet('AuthorizationCode', 2);
    const outcomes = await Promise.allSettled([redeem(config, callback), redeem(config, callback)]);
    const brought = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(brought).toHaveLength(1);
    for (const tokens of brought) {
      expect(await scene.outcomeOf(tokens.access_token)).toBe('revoked');
      await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toThrow();
    }
  });

  it('ends after a minute by our clock', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    const [late, early] = [
      await walk(scene, await requestOf(config)),
      await walk(scene, await requestOf(config)),
    ];
    scene.clock.advanceSeconds(59);
    await redeem(config, early);
    scene.clock.advanceSeconds(1);
    await expect(redeem(config, late)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('is of no use to another client', async () => {
    const scene = await createSignInScene();
    const [owner, thief] = [await scene.register(), await scene.register()];
    const callback = await walk(scene, await requestOf(owner));
    await expect(redeem(thief, callback)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('must be redeemed with the redirect URI that it was sent to', async () => {
    const scene = await createSignInScene();
    const config = await scene.register({ redirect_uris: [REDIRECT, `${REDIRECT}2`] });
    const callback = await walk(scene, await requestOf(config));
    const elsewhere = new URL(`${REDIRECT}2${callback.search}`);
    await expect(redeem(config, elsewhere)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

it('no token is made that would be too long to be read', async () => {
  const scene = await createSignInScene();
  const config = await scene.register();
  const subjects = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(64, '0'));
  await scene.accounts.save({ ...NORA, subjects: new Set(subjects) });
  const error = { error: 'invalid_grant', error_description: expect.stringContaining('too many subjects') };
  await expect(signIn(scene, config)).rejects.toMatchObject(error);
  const fewer = await signIn(scene, config, {}, { subjects: subjects.slice(0, 60) });
  expect(fewer.access_token.length).toBeLessThan(8192);
  expect(await scene.outcomeOf(fewer.access_token)).toBe('verified');
});

describe('the answer', () => {
  it('names the issuer and the state, when it is yes and when it is no (RFC 9207)', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    expect(said(await walk(scene, await requestOf(config)))).toEqual({
      code: expect.any(String),
      state: 'a state',
      iss: scene.issuer,
    });
    const refused = await walk(scene, await requestOf(config, { resource: 'https://elsewhere.example/mcp' }));
    expect(said(refused)).toMatchObject({ error: 'invalid_target', state: 'a state', iss: scene.issuer });
  });

  it.each(['token', 'id_token', 'code id_token', 'code token', 'none', 'code x'])(
    'is no to the response type %s',
    async (responseType) => {
      const scene = await createSignInScene();
      const callback = await walk(
        scene,
        await requestOf(await scene.register(), { response_type: responseType }),
      );
      expect(`${callback}`).toContain('unsupported_response_type');
      expect(`${callback}`).not.toMatch(/[?#&](code|access_token|id_token)=/);
    },
  );

  it.each(['form_post', 'fragment', 'web_message', 'query.jwt'])(
    'is in the query or nowhere: %s',
    async (responseMode) => {
      const scene = await createSignInScene();
      const callback = await walk(
        scene,
        await requestOf(await scene.register(), { response_mode: responseMode }),
      );
      expect(said(callback)).toMatchObject({ error: 'unsupported_response_mode', iss: scene.issuer });
    },
  );
});

describe('the scopes of a request', () => {
  it.each([
    ['are the ones of ours in it', 'notes.write other notes.read', 'notes.read notes.write'],
    ['may have those of OpenID Connect among them', 'openid notes.read offline_access', 'notes.read'],
    ['are the default where none of ours is asked for', 'openid', 'notes.read'],
    ['are the default where none is asked for', '', 'notes.read'],
  ])('%s', async (_what, scope, granted) => {
    const scene = await createSignInScene({ defaultScopes: ['notes.read'] });
    const tokens = await signIn(scene, await scene.register(), { scope });
    expect(tokens.scope).toBe(granted);
    expect(claimsIn(tokens.access_token).scope).toBe(granted);
    expect(tokens.id_token).toBeUndefined();
  });

  it('are refused where nothing of them exists', async () => {
    const scene = await createSignInScene();
    const callback = await walk(scene, await requestOf(await scene.register(), { scope: 'other another' }));
    expect(said(callback)).toMatchObject({ error: 'invalid_scope', iss: scene.issuer });
  });
});

describe('a redirect URI', () => {
  it.each([
    ['another path', 'http://127.0.0.1:7001/callbacks'],
    ['a character more', `${REDIRECT}/`],
    ['a character of the other case', 'http://127.0.0.1:7001/Callback'],
    ['another name of the same machine', 'http://localhost:7001/callback'],
    ['another scheme', 'https://127.0.0.1:7001/callback'],
    ['a query', `${REDIRECT}?a=b`],
    ['a host after a user name', 'http://127.0.0.1:7001@evil.example/callback'],
    ['a stranger', 'https://evil.example/callback'],
    ['nothing', ''],
  ])('that differs by %s gets a page and nothing is sent there', async (_what, redirectUri) => {
    const scene = await createSignInScene();
    const request = await requestOf(await scene.register(), { redirect_uri: redirectUri });
    const answer = await fetch(request, { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
    expect(await answer.text()).toContain('You were not signed in to Notes');
  });

  it.each([
    ['http://127.0.0.1:7001/callback', 'http://127.0.0.1:45123/callback'],
    ['http://localhost/callback', 'http://localhost:45123/callback'],
    ['http://[::1]:1/callback', 'http://[::1]:45123/callback'],
  ])('on the same machine may have any port: %s', async (registered, used) => {
    const scene = await createSignInScene();
    const config = await scene.register({ redirect_uris: [registered] });
    const callback = await walk(scene, await requestOf(config, { redirect_uri: used }));
    expect(`${callback}`.startsWith(`${used}?`)).toBe(true);
    expect(await redeem(config, callback)).toMatchObject({ token_type: 'bearer' });
  });
});
