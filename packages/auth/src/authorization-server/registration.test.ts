import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import {
  claimsIn,
  createSignInScene,
  REDIRECT,
  requestOf,
  signIn,
  walk,
} from '../../testing/sign-in-scene.ts';
import { TestBrowser } from '../../testing/test-browser.ts';

async function post(issuer: string, body: unknown) {
  const answer = await fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe('a client that registers', () => {
  it('keeps all of its redirect URIs, of whatever kind, and each works', async () => {
    const scene = await createSignInScene();
    const uris = ['example.reader:/done', 'https://app.example/done', 'http://127.0.0.1:7001/done'];
    const config = await scene.register({ redirect_uris: uris });
    expect(config.clientMetadata().redirect_uris).toEqual(uris);
    for (const uri of uris) {
      const callback = await walk(scene, await requestOf(config, { redirect_uri: uri }));
      expect(callback.href.startsWith(`${uri}?code=`)).toBe(true);
    }
  });

  it.each(['web', 'native', undefined])(
    'is under the same rules whatever it calls itself: %s',
    async (type) => {
      const scene = await createSignInScene();
      const application = type === undefined ? {} : { application_type: type };
      const good = { ...application, redirect_uris: ['example.reader:/done', 'http://localhost:1/done'] };
      expect(await post(scene.issuer, good)).toMatchObject({ status: 201 });
      const bad = { ...application, redirect_uris: ['http://app.example/done'] };
      expect(await post(scene.issuer, bad)).toMatchObject({ status: 400 });
    },
  );

  it('may say what nobody here knows, and it is not kept', async () => {
    const scene = await createSignInScene();
    const { status, body } = await post(scene.issuer, {
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'token'],
      scope: 'notes.read something.else',
      logo_uri: 'https://app.example/logo.png',
      jwks_uri: 'https://app.example/jwks',
      sector_identifier_uri: 'https://app.example/sector',
      software_id: 'a',
      client_id: 'console',
      client_secret: 'mine',
      a_new_thing: { deep: [1] },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect(body.client_id).not.toBe('console');
    for (const name of ['scope', 'logo_uri', 'jwks_uri', 'software_id', 'client_secret', 'a_new_thing']) {
      expect(body).not.toHaveProperty(name);
    }
  });

  it.each([
    ['client_secret_basic', oauth.ClientSecretBasic],
    ['client_secret_post', oauth.ClientSecretPost],
  ] as const)('may have a secret: %s', async (method, authentication) => {
    const scene = await createSignInScene();
    const { client_id: id, client_secret: secret } = (
      await scene.register({ token_endpoint_auth_method: method })
    ).clientMetadata();
    const tokens = await signIn(scene, await scene.discover(id, authentication(`${secret}`)));
    expect(claimsIn(tokens.access_token).client_id).toBe(id);
    const guess = await scene.discover(id, authentication('a guess'));
    const refresh = oauth.refreshTokenGrant(guess, tokens.refresh_token ?? '');
    await expect(refresh).rejects.toMatchObject({ status: 401 });
    const without = oauth.refreshTokenGrant(await scene.discover(id), tokens.refresh_token ?? '');
    await expect(without).rejects.toMatchObject({ status: 401 });
  });

  it('has a name that shows what it says', async () => {
    const scene = await createSignInScene();
    const named = async (name: string) =>
      (await scene.register({ client_name: name })).clientMetadata().client_name;
    expect(await named('Rea\u202eder\u0000\n\u200b')).toBe('Reader');
    expect(await named('x'.repeat(5000))).toHaveLength(100);
    expect(await named(' \u200f ')).toBeUndefined();
    expect(await named('Frau Müller’s 本 📖')).toBe('Frau Müller’s 本 📖');
  });
});

describe('a redirect URI is refused', () => {
  it.each([
    ['http://app.example/done', 'must use https'],
    ['http://127.0.0.1.example/done', 'must use https'],
    ['http://127.0.0.2/done', 'must use https'],
    ['http://0.0.0.0/done', 'must use https'],
    ['http://192.168.0.2/done', 'must use https'],
    ['javascript:alert(1)', 'must not use the javascript scheme'],
    ['ms-settings:display', 'must not use the ms-settings scheme'],
    ['search-ms:query=x', 'must not use the search-ms scheme'],
    ['shell:startup', 'must not use the shell scheme'],
    ['JaVaScRiPt:alert(1)', 'must not use the javascript scheme'],
    ['java\nscript:alert(1)', 'must be an absolute URI'],
    ['data:text/html,x', 'must not use the data scheme'],
    ['vbscript:x', 'must not use the vbscript scheme'],
    ['file:///etc/passwd', 'must not use the file scheme'],
    ['blob:https://app.example/x', 'must not use the blob scheme'],
    ['about:blank', 'must not use the about scheme'],
    ['mailto:a@b.example', 'must not use the mailto scheme'],
    ['https://app.example/done#x', 'must not have a fragment'],
    ['https://me:secret@app.example/done', 'must not have a user name'],
    ['https://app.example\\@evil.example/', 'must be an absolute URI'],
    ['https://app.example/a b', 'must be an absolute URI'],
    ['https://äpp.example/', 'must be an absolute URI'],
    ['/done', 'must be an absolute URI'],
    ['', 'must be an absolute URI'],
    [`https://app.example/${'x'.repeat(2048)}`, 'must have at most 2048 characters'],
    [7, 'must be text'],
    [null, 'must be text'],
  ])('as %j', async (uri, why) => {
    const scene = await createSignInScene();
    const { status, body } = await post(scene.issuer, { redirect_uris: [REDIRECT, uri] });
    expect(status).toBe(400);
    expect(body.error).toBe('invalid_redirect_uri');
    expect(body.error_description).toContain('redirect_uris[1] ');
    expect(body.error_description).toContain(why);
    expect(scene.records.idsOf('UnusedClient')).toEqual([]);
  });

  it('as one of too many', async () => {
    const scene = await createSignInScene();
    const uris = Array.from({ length: 21 }, (_, n) => `${REDIRECT}/${n}`);
    expect(await post(scene.issuer, { redirect_uris: uris })).toMatchObject({ status: 400 });
    expect(await post(scene.issuer, { redirect_uris: uris.slice(1) })).toMatchObject({ status: 201 });
  });
});

it.each([
  ['no JSON', '{'],
  ['a list', []],
  ['nothing', {}],
  ['no redirect URI', { redirect_uris: [] }],
  ['text for a list', { redirect_uris: REDIRECT }],
  ['an unknown authentication', { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'tls_client_auth' }],
  ['no grant that there is', { redirect_uris: [REDIRECT], grant_types: ['password'] }],
  ['a body of 64 KiB', { redirect_uris: [REDIRECT], padding: 'x'.repeat(65_536) }],
])('a registration of %s is refused with a reason', async (_what, body) => {
  const scene = await createSignInScene();
  const answer = await post(scene.issuer, body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ error: expect.any(String), error_description: expect.any(String) });
  expect(scene.faults).toEqual([]);
});

describe('a thousand registered clients', () => {
  it('are as many as are kept: the oldest that nobody uses goes', async () => {
    const scene = await createSignInScene();
    const used = await scene.register();
    const tokens = await signIn(scene, used);
    for (const kind of ['NewClient', 'UnusedClient']) expect(scene.records.idsOf(kind)).toEqual([]);
    const unused = await scene.register();
    const filler = { content: {}, grantId: undefined, uid: undefined, expiresAt: undefined };
    for (let n = 2; n < 1000; n += 1) await scene.records.save('NewClient', `filler ${n}`, filler);
    const newest = await scene.register();
    expect(scene.records.idsOf('NewClient').length + scene.records.idsOf('Client').length).toBe(1000);
    expect(scene.records.idsOf('NewClient')).not.toContain(unused.clientMetadata().client_id);
    expect(scene.records.idsOf('NewClient')).toContain(newest.clientMetadata().client_id);
    expect(await oauth.refreshTokenGrant(used, tokens.refresh_token ?? '')).toMatchObject({
      token_type: 'bearer',
    });
  });

  it('push out nobody whose person is just signing in', async () => {
    const scene = await createSignInScene();
    const patient = await scene.register();
    const browser = new TestBrowser();
    const { location: page } = await browser.go(await requestOf(patient));
    if (page === undefined) throw new Error('no page');
    for (let n = 0; n < 1005; n += 1) await post(scene.issuer, { redirect_uris: [REDIRECT] });
    expect(await scene.asked(browser, page)).toMatchObject({ wants: 'sign_in' });
    expect(scene.records.idsOf('UnusedClient')).toEqual([patient.clientMetadata().client_id]);
    expect(scene.records.idsOf('NewClient')).toHaveLength(999);
  });

  it('take in new ones though the person of every old one is just signing in', async () => {
    const scene = await createSignInScene();
    const filler = { content: {}, grantId: undefined, uid: undefined, expiresAt: undefined };
    for (let n = 0; n < 1000; n += 1) await scene.records.save('UnusedClient', `filler ${n}`, filler);
    expect((await post(scene.issuer, { redirect_uris: [REDIRECT] })).status).toBe(201);
    expect(scene.records.idsOf('UnusedClient')).not.toContain('filler 0');
  });

  it('are the end of it when all of them are in use', async () => {
    const scene = await createSignInScene();
    const filler = { content: {}, grantId: undefined, uid: undefined, expiresAt: undefined };
    for (let n = 0; n < 1000; n += 1) await scene.records.save('Client', `filler ${n}`, filler);
    const answer = await post(scene.issuer, { redirect_uris: [REDIRECT] });
    expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
  });
});
