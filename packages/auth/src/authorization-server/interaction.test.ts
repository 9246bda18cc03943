import { describe, expect, it } from 'vitest';
import {
  claimsIn,
  createSignInScene,
  NORA,
  REDIRECT,
  redeem,
  requestOf,
  walk,
} from '../../testing/sign-in-scene.ts';
import { TestBrowser } from '../../testing/test-browser.ts';

async function begin(overrides: Parameters<typeof createSignInScene>[0] = {}, metadata: object = {}) {
  const scene = await createSignInScene(overrides);
  const config = await scene.register(metadata);
  const browser = new TestBrowser();
  const request = await requestOf(config, { scope: 'notes.read notes.audit' });
  const { location: page } = await browser.go(request);
  if (page === undefined) throw new Error('no page');
  return { scene, config, browser, request, page };
}

describe('a person', () => {
  it('is asked to sign in, and then what the application may do', async () => {
    const { scene, config, browser, page } = await begin();
    const client = {
      id: config.clientMetadata().client_id,
      name: 'Reader',
      host: '127.0.0.1:7001',
      redirectHost: '127.0.0.1:7001',
      isFirstParty: false,
    };
    const uid = page.pathname.split('/').at(-1);
    const scopes = ['notes.read', 'notes.audit'];
    expect(page.href).toBe(`${scene.issuer}/interaction/${uid}`);
    expect(await scene.asked(browser, page)).toEqual({ uid, wants: 'sign_in', client, scopes });

    const onward = await scene.say(browser, page, 'sign-in', { account: 'nora' });
    const { location: second } = await browser.go(onward);
    if (second === undefined) throw new Error('no page');
    expect(await scene.asked(browser, second)).toMatchObject({
      wants: 'consent',
      client,
      scopes: ['notes.read'],
      person: 'Nora',
    });
  });

  it('is asked both again each time, in the same browser too', async () => {
    const { scene, browser, request } = await begin();
    const wanted: string[] = [];
    for (const _time of [1, 2]) {
      let { location } = await browser.go(request);
      while (location?.pathname.startsWith('/interaction/')) {
        const { wants } = await scene.asked(browser, location);
        wanted.push(wants);
        const step = wants === 'sign_in' ? 'sign-in' : 'allow';
        const said = { account: 'nora', scopes: ['notes.read'], subjects: ['alpha'] };
        ({ location } = await browser.go(await scene.say(browser, location, step, said)));
      }
      expect(location?.searchParams.has('code')).toBe(true);
    }
    expect(wanted).toEqual(['sign_in', 'consent', 'sign_in', 'consent']);
  });

  it('is who signed in last, whoever signed in before', async () => {
    const { scene, config, browser, request } = await begin();
    await scene.accounts.save({ ...NORA, id: 'omar', name: 'Omar', subjects: new Set(['gamma']) });
    await walk(scene, request, { account: 'nora' }, browser);
    const callback = await walk(scene, request, { account: 'omar' }, browser);
    const { access_token: token } = await redeem(config, callback);
    expect(claimsIn(token)).toMatchObject({ sub: 'omar', subjects: ['gamma'] });
  });

  it('who refuses is heard', async () => {
    const { scene, browser, page } = await begin();
    const { location: callback } = await browser.go(await scene.say(browser, page, 'refuse'));
    expect(callback?.href.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(Object.fromEntries(callback?.searchParams ?? [])).toMatchObject({
      error: 'access_denied',
      state: 'a state',
      iss: scene.issuer,
    });
  });
});

describe('what is granted', () => {
  it.each<[string, string[], string[] | '*', string[]]>([
    ['everything asked', ['notes.read', 'notes.audit'], '*', ['alpha', 'beta']],
    ['one subject', ['notes.read'], ['beta'], ['beta']],
    ['less than was offered by the page', ['notes.read', 'notes.write'], ['alpha', 'gamma'], ['alpha']],
  ])('is what was asked, allowed and held: %s', async (_what, scopes, subjects, left) => {
    const scene = await createSignInScene();
    const config = await scene.register();
    const request = await requestOf(config, { scope: 'notes.read notes.audit' });
    const { access_token: token } = await redeem(config, await walk(scene, request, { scopes, subjects }));
    expect(claimsIn(token)).toMatchObject({ scope: 'notes.read', subjects: left });
  });

  it.each([
    ['no scope', { scopes: [], subjects: '*' as const }],
    ['no scope that was asked for', { scopes: ['notes.write'], subjects: '*' as const }],
    ['no subject', { scopes: ['notes.read'], subjects: [] }],
    ['no subject of the account', { scopes: ['notes.read'], subjects: ['gamma'] }],
  ])('is nothing at all for %s', async (_what, said) => {
    const scene = await createSignInScene();
    const request = await requestOf(await scene.register(), { scope: 'notes.read' });
    const callback = await walk(scene, request, said);
    expect(Object.fromEntries(callback.searchParams)).toMatchObject({ error: 'access_denied' });
    expect(scene.records.idsOf('Grant')).toEqual([]);
  });

  it('is every subject where the account has every one', async () => {
    const scene = await createSignInScene();
    await scene.accounts.save({ ...NORA, subjects: '*' });
    const config = await scene.register();
    const { access_token: token } = await redeem(config, await walk(scene, await requestOf(config)));
    expect(claimsIn(token).subjects).toEqual(['*']);
  });
});

describe('an interaction', () => {
  it('is nothing in another browser, under another name, or once it is over', async () => {
    const { scene, browser, page } = await begin();
    expect(await scene.asked(new TestBrowser(), page)).toEqual({});
    const elsewhere = new URL(`${page.pathname}/../${'x'.repeat(21)}`, page);
    expect(await scene.asked(browser, elsewhere)).toEqual({});
    await browser.go(await scene.say(browser, page, 'refuse'));
    expect(await scene.asked(browser, page)).toEqual({});
  });

  it('is not found under the name of another one in the same browser', async () => {
    const { scene, browser, page, request } = await begin();
    const { location: second } = await browser.go(request);
    if (second === undefined) throw new Error('no page');
    const cookies = [...browser.cookies.values()].filter(({ path }) => path === page.pathname);
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const answer = await fetch(second, { headers: { cookie } });
    expect(await answer.json()).toEqual({});
    expect(await scene.asked(browser, second)).toMatchObject({ wants: 'sign_in' });
  });

  it('is over after a quarter of an hour by our clock', async () => {
    const { scene, browser, page } = await begin();
    scene.clock.advanceSeconds(899);
    expect(await scene.asked(browser, page)).toMatchObject({ wants: 'sign_in' });
    scene.clock.advanceSeconds(1);
    expect(await scene.asked(browser, page)).toEqual({});
  });

  it('does not take the answer to another question', async () => {
    const { scene, browser, page } = await begin();
    const allow = scene.say(browser, page, 'allow', { scopes: ['notes.read'], subjects: '*' });
    await expect(allow).rejects.toThrow('no such interaction');
    const onward = await scene.say(browser, page, 'sign-in', { account: 'nora' });
    const { location: second } = await browser.go(onward);
    if (second === undefined) throw new Error('no page');
    await expect(scene.say(browser, second, 'sign-in', { account: 'nora' })).rejects.toThrow();
  });

  it('does not let a page name who signed in', async () => {
    const { scene, browser, page } = await begin();
    const onward = await scene.say(browser, page, 'sign-in', { account: 'nobody' });
    const { location: again } = await browser.go(onward);
    if (again === undefined) throw new Error('no page');
    expect(await scene.asked(browser, again)).toMatchObject({ wants: 'sign_in' });
  });

  it('ends with the account of the person', async () => {
    const { scene, browser, page } = await begin();
    const { location: second } = await browser.go(
      await scene.say(browser, page, 'sign-in', { account: 'nora' }),
    );
    if (second === undefined) throw new Error('no page');
    await scene.accounts.remove('nora');
    expect(await scene.asked(browser, second)).toEqual({});
  });

  it('cannot be skipped: going on without an answer asks again', async () => {
    const { scene, browser, page } = await begin();
    const { location: again } = await browser.go(
      `${scene.issuer}/authorize/${page.pathname.split('/').at(-1)}`,
    );
    expect(again?.pathname).toMatch(/^\/interaction\//);
  });
});

it('as one of ten thousand others, the oldest sign-in that was begun gives way', async () => {
  const { scene, browser, page, request } = await begin();
  const filler = { content: {}, grantId: undefined, uid: undefined, expiresAt: undefined };
  for (let n = 1; n < 10_000; n += 1) await scene.records.save('Interaction', `filler ${n}`, filler);
  expect(await scene.asked(browser, page)).toMatchObject({ wants: 'sign_in' });
  const { location: newest } = await browser.go(request);
  if (newest === undefined) throw new Error('no page');
  expect(await scene.asked(browser, page)).toEqual({});
  expect(await scene.asked(browser, newest)).toMatchObject({ wants: 'sign_in' });
  expect(scene.records.idsOf('Interaction')).toHaveLength(10_000);
});

describe('a page of our own', () => {
  const VERIFIED = { redirect_uri: '', scope: 'notes.read notes.audit' };

  it('is signed in to without a question about consent, with what the account has', async () => {
    const scene = await createSignInScene();
    const config = await scene.discover('console');
    const request = await requestOf(config, { ...VERIFIED, redirect_uri: `${scene.local}/console` });
    const browser = new TestBrowser();
    const { location: page } = await browser.go(request);
    if (page === undefined) throw new Error('no page');
    expect(await scene.asked(browser, page)).toMatchObject({
      wants: 'sign_in',
      client: { isFirstParty: true },
    });
    const { location: callback } = await browser.go(
      await scene.say(browser, page, 'sign-in', { account: 'nora' }),
    );
    if (callback === undefined) throw new Error('no answer');
    const tokens = await redeem(config, callback);
    expect(claimsIn(tokens.access_token)).toMatchObject({ scope: 'notes.read', subjects: ['alpha', 'beta'] });
    expect(tokens.refresh_token).toEqual(expect.any(String));
  });

  it('gets nothing of an account that has nothing of what it asks', async () => {
    const scene = await createSignInScene();
    const redirectUri = `${scene.local}/console`;
    const request = await requestOf(await scene.discover('console'), {
      redirect_uri: redirectUri,
      scope: 'notes.audit',
    });
    expect(Object.fromEntries((await walk(scene, request)).searchParams)).toMatchObject({
      error: 'access_denied',
    });
  });

  it('has its one address, without another port', async () => {
    const scene = await createSignInScene();
    const request = await requestOf(await scene.discover('console'), {
      redirect_uri: 'http://127.0.0.1:1/console',
    });
    expect((await fetch(request, { redirect: 'manual' })).status).toBe(400);
  });
});

it.each([
  [{ redirect_uris: ['https://app.example/done'] }, 'https://app.example/done', 'app.example'],
  [{ redirect_uris: ['example.reader:/done'] }, 'example.reader:/done', 'example.reader://'],
  [{ redirect_uris: ['reader://example/done'] }, 'reader://example/done', 'reader://example'],
])('shows where the answer will be sent: %j', async (metadata, redirectUri, host) => {
  const scene = await createSignInScene();
  const request = await requestOf(await scene.register(metadata), { redirect_uri: redirectUri });
  const browser = new TestBrowser();
  const { location: page } = await browser.go(request);
  if (page === undefined) throw new Error('no page');
  expect(await scene.asked(browser, page)).toMatchObject({ client: { host } });
  expect((await walk(scene, request)).href.startsWith(redirectUri)).toBe(true);
});
