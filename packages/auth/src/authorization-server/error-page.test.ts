import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { createSignInScene, requestOf, signIn, walk } from '../../testing/sign-in-scene.ts';
import { TestBrowser } from '../../testing/test-browser.ts';
import { errorPage } from './error-page.ts';

function expectSafePage({ headers, body }: { headers: Headers; body: string }): void {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^' ]+';/);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toContain('no-store');
  expect(body).not.toMatch(/<script|\bat .*\.js:|node_modules/i);
  expect(body.length).toBeLessThan(4096);
}

describe('a person who cannot be sent on', () => {
  it.each([
    ['an unknown client', { client_id: '<b>nobody</b>' }, 'could not be recognised'],
    ['a client of markup', { client_id: `"><script>alert(1)</script>${'x'.repeat(6000)}` }, 'recognised'],
    ['no client', { client_id: '' }, 'Tell the maker'],
    ['an unregistered address', { redirect_uri: 'https://evil.example/' }, 'did not register'],
  ])('is told of %s in plain words', async (_what, change, words) => {
    const scene = await createSignInScene();
    const request = await requestOf(await scene.register());
    for (const [name, value] of Object.entries(change)) request.searchParams.set(name, value);
    const page = await new TestBrowser().go(request);
    expect(page.status).toBe(400);
    expectSafePage(page);
    expect(page.body).toContain(words);
    expect(page.body).not.toContain('<b>');
  });

  it('is told to start again when it is too late', async () => {
    const scene = await createSignInScene();
    const browser = new TestBrowser();
    const { location } = await browser.go(await requestOf(await scene.register()));
    if (location === undefined) throw new Error('no page');
    const onward = await scene.say(browser, location, 'sign-in', { account: 'nora' });
    scene.clock.advanceSeconds(900);
    const page = await browser.go(onward);
    expect(page.status).toBe(400);
    expectSafePage(page);
    expect(page.body).toContain('took too long');
    expect(page.body).toContain('start again');
  });

  it('is told so when another browser goes on', async () => {
    const scene = await createSignInScene();
    const browser = new TestBrowser();
    const { location } = await browser.go(await requestOf(await scene.register()));
    if (location === undefined) throw new Error('no page');
    const page = await new TestBrowser().go(
      await scene.say(browser, location, 'sign-in', { account: 'nora' }),
    );
    expect(page.status).toBe(400);
    expectSafePage(page);
  });
});

it('a document that cannot be fetched is a page that says whom to ask', async () => {
  const scene = await createSignInScene();
  const config = await scene.register();
  const page = await new TestBrowser().go(
    await requestOf(config, { client_id: 'https://client.example/nowhere.json' }),
  );
  expect(page.status).toBe(400);
  expectSafePage(page);
  expect(page.body).toContain('could not be fetched from its address');
  expect(page.body).toContain('ask whoever runs this server');
  expect(scene.faults).toEqual([]);
});

describe('a state', () => {
  it('of 64 KiB is refused, and nothing is kept of it', async () => {
    const scene = await createSignInScene();
    const page = await new TestBrowser().go(
      await requestOf(await scene.register(), { state: 'x'.repeat(65_536) }),
    );
    expect(page.status).toBe(414);
    expectSafePage(page);
    expect(page.body).toContain('too long');
    expect(scene.records.idsOf('Interaction')).toEqual([]);
  });

  it('of 4 KiB comes back as it was', async () => {
    const scene = await createSignInScene();
    const state = `"<>&'+ %${'x'.repeat(4096)}`;
    const callback = await walk(scene, await requestOf(await scene.register(), { state }));
    expect(callback.searchParams.get('state')).toBe(state);
  });
});

describe('a store that cannot be reached', () => {
  it('is a page with status 503 where a browser asks', async () => {
    const scene = await createSignInScene();
    const request = await requestOf(await scene.register());
    scene.records.isBroken = true;
    const page = await new TestBrowser().go(request);
    expect(page.status).toBe(503);
    expect(page.headers.get('retry-after')).toBe('30');
    expectSafePage(page);
    expect(page.body).toContain('Try again in a minute');
    expect(`${scene.faults}`).toContain('the disk is gone');
  });

  it('is a page at each step of a sign-in, and no code comes of it', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    for (const failing of [1, 2]) {
      const browser = new TestBrowser();
      let { location } = await browser.go(await requestOf(config));
      for (let step = 1; location !== undefined; step += 1) {
        const said = { account: 'nora', scopes: ['notes.read'], subjects: '*' };
        const onward = await scene.say(browser, location, step === 1 ? 'sign-in' : 'allow', said);
        scene.records.isBroken = step === failing;
        const page = await browser.go(onward);
        scene.records.isBroken = false;
        if (step === failing) {
          expect(page.status).toBe(503);
          expectSafePage(page);
        }
        location = page.location;
      }
    }
    expect(scene.records.idsOf('AuthorizationCode')).toEqual([]);
  });

  it('rejects where a page of ours asks', async () => {
    const scene = await createSignInScene();
    const browser = new TestBrowser();
    const { location } = await browser.go(await requestOf(await scene.register()));
    if (location === undefined) throw new Error('no page');
    scene.records.isBroken = true;
    expect(await browser.go(location)).toMatchObject({ status: 503 });
    await expect(scene.say(browser, location, 'sign-in', { account: 'nora' })).rejects.toThrow();
    await expect(scene.server.endGrant('any')).rejects.toThrow();
  });

  it('is 503 in JSON where a client asks, and the tokens count afterwards', async () => {
    const scene = await createSignInScene();
    const config = await scene.register();
    const tokens = await signIn(scene, config);
    scene.records.isBroken = true;
    for (const path of ['/token', '/revoke', '/register']) {
      const isRegistration = path === '/register';
      const parameters = {
        client_id: config.clientMetadata().client_id,
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
        token: tokens.refresh_token ?? '',
      };
      const answer = await fetch(`${scene.issuer}${path}`, {
        method: 'POST',
        headers: isRegistration ? { 'content-type': 'application/json' } : {},
        body: isRegistration ? '{"redirect_uris":["https://app.example/"]}' : new URLSearchParams(parameters),
      });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('30');
      expect(await answer.json()).toEqual({
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining('cannot reach its store'),
      });
    }
    scene.records.isBroken = false;
    expect(await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).toMatchObject({
      token_type: 'bearer',
    });
  });
});

it('a page escapes all that it is given and cuts what is long', () => {
  const markup = `<img src=x onerror="alert('1')">&`;
  const page = errorPage({ service: markup, code: markup, description: markup.repeat(1000) });
  expect(page).not.toContain('<img');
  expect(page.length).toBeLessThan(4096);
});
