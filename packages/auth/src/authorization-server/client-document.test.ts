import * as oauth from 'openid-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  answerJson,
  createClientDocumentHost,
  TRUSTED_CERTIFICATES,
} from '../../testing/client-document-host.ts';
import { claimsIn, createSignInScene, redeem, requestOf, signIn, walk } from '../../testing/sign-in-scene.ts';
import { TestBrowser } from '../../testing/test-browser.ts';
import { createClientDocumentFetch } from './client-document-fetch.ts';

const REDIRECT = 'http://127.0.0.1:7001/callback';

/** A client that is known by the address of its metadata document, on a real TLS server. */
async function begin(change: object = {}, headers: Record<string, string> = {}) {
  const published = { document: {} as unknown, headers };
  const host = await createClientDocumentHost((_req, res) =>
    answerJson(res, published.document, published.headers),
  );
  const clientId = `https://client.example:${host.port}/client.json`;
  published.document = {
    client_id: clientId,
    client_name: 'Reader',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...change,
  };
  const scene = await createSignInScene({
    clientDocuments: {
      fetch: createClientDocumentFetch({
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
        privateHosts: ['client.example'],
        trustedCertificates: TRUSTED_CERTIFICATES,
      }),
    },
  });
  const config = await scene.discover(clientId);
  return { scene, config, published, clientId, host };
}

/** The library keeps documents by the system's clock. */
function laterBySeconds(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

describe('a client that is its metadata document', () => {
  it('signs a person in, who sees the host of the document', async () => {
    const { scene, config, clientId, host } = await begin();
    const request = await requestOf(config, { scope: 'notes.read' });
    const browser = new TestBrowser();
    const { location: page } = await browser.go(request);
    if (page === undefined) throw new Error('no page');
    expect(await scene.asked(browser, page)).toMatchObject({
      client: {
        id: clientId,
        name: 'Reader',
        host: `client.example:${host.port}`,
        redirectHost: '127.0.0.1:7001',
      },
    });
    const tokens = await signIn(scene, config);
    expect(claimsIn(tokens.access_token).client_id).toBe(clientId);
    expect(tokens.refresh_token).toEqual(expect.any(String));
    expect(host.requests()).toBe(1);
    expect(scene.records.idsOf('Client')).toEqual([]);
  });

  it('may say what nobody here knows', async () => {
    const { scene, config } = await begin({
      scope: 'other',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      logo_uri: 'https://client.example/logo.png',
      jwks_uri: 'https://10.0.0.1/jwks',
      sector_identifier_uri: 'https://10.0.0.1/sector',
      software_version: 7,
    });
    expect(await signIn(scene, config)).toMatchObject({ token_type: 'bearer' });
  });

  it('need not say that it has no secret', async () => {
    const { scene, config } = await begin({ token_endpoint_auth_method: undefined });
    expect(await signIn(scene, config)).toMatchObject({ token_type: 'bearer' });
  });

  it('may be on the same machine with any port', async () => {
    const { scene, config } = await begin();
    const callback = await walk(
      scene,
      await requestOf(config, { redirect_uri: 'http://127.0.0.1:45123/callback' }),
    );
    expect(await redeem(config, callback)).toMatchObject({ token_type: 'bearer' });
  });
});

it('a client whose document cannot be fetched just now keeps its tokens', async () => {
  const { scene, config, published, clientId } = await begin();
  const tokens = await signIn(scene, config);
  const { document } = published;
  published.document = 'x'.repeat(6000);
  laterBySeconds(61);
  for (const path of ['token', 'revoke']) {
    const refresh = tokens.refresh_token ?? '';
    const answer = await fetch(`${scene.issuer}/${path}`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: clientId,
        grant_type: 'refresh_token',
        refresh_token: refresh,
        token: refresh,
      }),
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  }
  published.document = document;
  expect(await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).toMatchObject({
    token_type: 'bearer',
  });
});

describe('a document is not believed', () => {
  it.each<[string, object]>([
    ['that names another client', { client_id: 'https://client.example/other.json' }],
    ['that names no client', { client_id: undefined }],
    ['with a secret', { client_secret: 'a' }],
    ['with a method that needs a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['with a method that is not offered', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['with an insecure redirect', { redirect_uris: ['http://app.example/'] }],
    ['with a script for a redirect', { redirect_uris: [REDIRECT, 'javascript:alert(1)'] }],
    ['without redirects', { redirect_uris: [] }],
    ['of 5 KiB', { padding: 'x'.repeat(5120) }],
  ])('%s', async (_what, change) => {
    const { scene, config } = await begin(change);
    const page = await new TestBrowser().go(await requestOf(config));
    expect(page.status).toBe(400);
    expect(page.location).toBeUndefined();
    expect(page.body).toContain('You were not signed in to Notes');
    expect(scene.faults).toEqual([]);
  });

  it.each([
    'http://client.example/client.json',
    'https://client.example/../client.json',
    'https://client.example/client.json#a',
    'https://me:secret@client.example/client.json',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://0x7f.1/client.json',
  ])('at %s', async (clientId) => {
    const { scene, host } = await begin();
    const config = await scene.discover(clientId);
    const page = await new TestBrowser().go(await requestOf(config));
    expect(page.status).toBe(400);
    expect(page.location).toBeUndefined();
    expect(host.connections()).toBe(0);
  });
});

describe('a document that changes', () => {
  it('is asked for again after a minute, and an address that it dropped works no more', async () => {
    const { config, published, host } = await begin({ redirect_uris: [REDIRECT, `${REDIRECT}/old`] });
    const old = await requestOf(config, { redirect_uri: `${REDIRECT}/old` });
    expect((await new TestBrowser().go(old)).status).toBe(303);
    published.document = { ...(published.document as object), redirect_uris: [REDIRECT] };
    laterBySeconds(59);
    expect((await new TestBrowser().go(old)).status).toBe(303);
    expect(host.requests()).toBe(1);
    laterBySeconds(2);
    expect((await new TestBrowser().go(old)).status).toBe(400);
    expect((await new TestBrowser().go(await requestOf(config))).status).toBe(303);
    expect(host.requests()).toBe(2);
  });

  it('is asked for again after an hour at the latest', async () => {
    const { config, host } = await begin({}, { 'cache-control': 'max-age=31536000' });
    const request = await requestOf(config);
    await new TestBrowser().go(request);
    laterBySeconds(3599);
    await new TestBrowser().go(request);
    expect(host.requests()).toBe(1);
    laterBySeconds(2);
    await new TestBrowser().go(request);
    expect(host.requests()).toBe(2);
  });

  it('in the middle of a sign-in ends it when it is no document of a client any more', async () => {
    const { scene, config, published } = await begin();
    const browser = new TestBrowser();
    const { location: page } = await browser.go(await requestOf(config));
    if (page === undefined) throw new Error('no page');
    published.document = {};
    laterBySeconds(61);
    expect(await scene.asked(browser, page)).toEqual({});
  });
});
