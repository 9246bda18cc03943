import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createSignInScene, requestOf } from '../../testing/sign-in-scene.ts';
import { TestBrowser } from '../../testing/test-browser.ts';
import { createSigningKey, jwks } from './signing-key.ts';

/** Says exactly these bytes, and gives all that is answered. */
function say(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

describe('the public name of the server', () => {
  it.each([
    ['Host: evil.example'],
    ['Host: 127.0.0.1\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https'],
    ['Host: 127.0.0.1\r\nForwarded: host=evil.example'],
  ])('is its own, whatever a request says: %j', async (headers) => {
    const scene = await createSignInScene();
    const { pathname, search } = await requestOf(await scene.register());
    const port = Number(new URL(scene.local).port);
    const started = await say(
      port,
      `GET ${pathname}${search} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`,
    );
    expect(started).toContain(`\r\nLocation: ${scene.issuer}/interaction/`);
    const [uid = ''] = scene.records.idsOf('Interaction');
    const kept = await scene.records.find('Interaction', uid);
    expect(kept?.content.returnTo).toBe(`${scene.issuer}/authorize/${uid}`);
    const metadata = await say(
      port,
      `GET /.well-known/oauth-authorization-server HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`,
    );
    expect(metadata).toContain(`"issuer":"${scene.issuer}"`);
    expect(`${started}${metadata}`).not.toContain('evil');
  });

  it('is not taken from the first line of a request', async () => {
    const scene = await createSignInScene();
    const { pathname, search } = await requestOf(await scene.register());
    const line = `GET http://evil.example${pathname}${search} HTTP/1.1`;
    const answer = await say(
      Number(new URL(scene.local).port),
      `${line}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('makes cookies secure when it is https, and never readable by scripts', async () => {
    for (const [issuer, isSecure] of [
      [undefined, false],
      ['https://notes.example', true],
    ] as const) {
      const scene = await createSignInScene(issuer === undefined ? {} : { issuer });
      const answer = await fetch(`${scene.local}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://app.example/'], token_endpoint_auth_method: 'none' }),
      });
      const { client_id: id } = (await answer.json()) as { client_id: string };
      const browser = new TestBrowser();
      const query = new URLSearchParams({
        client_id: id,
        response_type: 'code',
        redirect_uri: 'https://app.example/',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      });
      const { location } = await browser.go(`${scene.local}/authorize?${query}`);
      expect(location?.href.startsWith(`${scene.issuer}/interaction/`)).toBe(true);
      expect(browser.setCookies.length).toBeGreaterThan(0);
      for (const cookie of browser.setCookies) {
        expect(/; secure/i.test(cookie)).toBe(isSecure);
        expect(cookie).toMatch(/; httponly/i);
        expect(cookie).toMatch(/; samesite=lax/i);
      }
    }
  });
});

describe('the metadata', () => {
  it('says what there is and nothing else', async () => {
    const scene = await createSignInScene();
    const answer = await fetch(`${scene.issuer}/.well-known/oauth-authorization-server`);
    expect(await answer.json()).toEqual({
      issuer: scene.issuer,
      authorization_endpoint: `${scene.issuer}/authorize`,
      token_endpoint: `${scene.issuer}/token`,
      revocation_endpoint: `${scene.issuer}/revoke`,
      registration_endpoint: `${scene.issuer}/register`,
      jwks_uri: `${scene.issuer}/jwks`,
      scopes_supported: ['notes.read', 'notes.write', 'notes.audit'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      dpop_signing_alg_values_supported: ['ES256'],
      protected_resources: [`${scene.issuer}/mcp`],
    });
  });

  it('leads to every key that a token may be signed with, and to no private one', async () => {
    const keys = [createSigningKey(), createSigningKey()] as const;
    const scene = await createSignInScene({ signingKeys: keys });
    const answer = await fetch(`${scene.issuer}/jwks`);
    expect(await answer.json()).toEqual(jwks(keys));
  });
});

it.each([
  '/',
  '/userinfo',
  '/me',
  '/session/end',
  '/session/end/confirm',
  '/device/auth',
  '/token/introspection',
  '/register/some-client',
  '/.well-known/openid-configuration',
  '/authorize/x/y',
  '/AUTHORIZE',
  '//authorize',
])('there is no %s', async (path) => {
  const scene = await createSignInScene();
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    expect((await fetch(`${scene.issuer}${path}`, { method, redirect: 'manual' })).status).toBe(404);
  }
});
