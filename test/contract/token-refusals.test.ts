import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  createRemoteJWKSet,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { initialize, modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { READ_BOTH } from './demonstration.ts';

const HOUR = 3_600_000;
const data = temporaryFolder();
const clock = new ClockFile();
let server: RunningServer;
let good: string;
let kid: string;
let serverKey: Awaited<ReturnType<typeof importJWK>>;

beforeAll(async () => {
  server = await startServer(data, { UNSAY_CLOCK: clock.setting });
  good = await server.mint(READ_BOTH);
  const { keys } = JSON.parse(readFileSync(join(data, 'token-key.json'), 'utf8')) as {
    keys: [{ kid: string }];
  };
  kid = keys[0].kid;
  serverKey = await importJWK(keys[0], 'ES256');
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
  clock.remove();
});

/** Asks for a fact with an Authorization header, or with none. */
function read(authorization: string | null, uri = 'care://ray/wound'): Promise<Response> {
  const { authorization: _unused, ...headers } = modernHeaders('', 'resources/read', uri);
  const credential: Record<string, string> = authorization === null ? {} : { authorization };
  return post(server.url, modernMessage('resources/read', { uri }), { ...headers, ...credential });
}

const seconds = (): number => Math.floor(clock.now / 1000);

/** A token of the server's own key, with some claims or header members changed; undefined takes one away. */
function altered(claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
  const payload = Object.entries({ ...decodeJwt(good), ...claims }).filter(
    ([, value]) => value !== undefined,
  );
  return new SignJWT(Object.fromEntries(payload) as JWTPayload)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
    .sign(serverKey);
}

async function ofAnotherKey(showsIt: boolean): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = showsIt ? { jwk: await exportJWK(publicKey) } : {};
  return new SignJWT(decodeJwt(good))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...jwk })
    .sign(privateKey);
}

/** The confusion of key kinds: the public key, which everyone has, as the secret of an HMAC. */
async function signedWithPublicKey(): Promise<string> {
  const jwks = await (await fetch(`${server.url}/jwks`)).text();
  return new SignJWT(decodeJwt(good))
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
    .sign(new TextEncoder().encode(jwks));
}

describe('a token', () => {
  it('that is good is let in, and so is its twin of the same key', async () => {
    for (const token of [good, await altered({})]) {
      const answer = await read(`Bearer ${token}`);
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('Keep the dressing'),
      ]);
    }
    expect((await read(`bearer ${good}`)).status).toBe(200);
  });

  it('verifies against the keys that the server publishes', async () => {
    const { payload, protectedHeader } = await jwtVerify(
      good,
      createRemoteJWKSet(new URL(`${server.url}/jwks`)),
      {
        issuer: server.url,
        audience: `${server.url}/mcp`,
        typ: 'at+jwt',
        algorithms: ['ES256'],
        currentDate: new Date(clock.now),
      },
    );
    expect(payload).toMatchObject({
      sub: 'tester',
      client_id: 'contract-test',
      subjects: ['ray'],
      scope: READ_BOTH,
    });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600);
    expect(protectedHeader.kid).toBe(kid);
  });

  const BAD: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['is none', () => 'nonsense'],
    ['is empty', () => ''],
    ['was cut', () => good.slice(0, -2)],
    ['was edited', () => edited({ scope: `${READ_BOTH} care.write` })],
    ['has no signature', () => new UnsecuredJWT(decodeJwt(good)).encode()],
    ['is of another key', () => ofAnotherKey(false)],
    ['brings the key it is of', () => ofAnotherKey(true)],
    ['is an HMAC with the public key', signedWithPublicKey],
    ['is for another resource', () => altered({ aud: 'https://unsay.example.org/mcp' })],
    ['is for the server but not its endpoint', () => altered({ aud: server.url })],
    ['is for the endpoint with a slash', () => altered({ aud: `${server.url}/mcp/` })],
    ['is for nobody', () => altered({ aud: undefined })],
    ['is of another issuer', () => altered({ iss: 'https://issuer.example.org' })],
    ['is of no issuer', () => altered({ iss: undefined })],
    ['has expired', () => altered({ iat: seconds() - 7200, exp: seconds() - 1 })],
    ['never expires', () => altered({ exp: undefined })],
    ['is not valid yet', () => altered({ nbf: seconds() + 60 })],
    ['is of another type', () => altered({}, { typ: 'JWT' })],
    ['names subjects as text', () => altered({ subjects: 'ray' })],
    ['names scopes as a list', () => altered({ scope: [READ_BOTH] })],
    ['has no client', () => altered({ client_id: undefined })],
    ['is there twice in one header', () => `${good}, ${good}`],
  ];

  it.each(BAD)('that %s is refused, in the same bytes as any other', async (_what, make) => {
    const answer = await read(`Bearer ${await make()}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token", error_description="The access token is not valid here", ' +
        `scope="care.read.user", resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(await answer.text()).toBe(await (await read('Bearer nonsense')).text());
    const verify = await fetch(`${server.url}/verify`, {
      headers: { authorization: `Bearer ${await make()}` },
    });
    expect([verify.status, await verify.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'bad_signature' }),
    ]);
  });

  it('in two headers is refused', async () => {
    const { hostname, port } = new URL(server.url);
    const answered = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const headers = [
        'host',
        'localhost',
        'authorization',
        `Bearer ${good}`,
        'authorization',
        `Bearer ${good}`,
      ];
      const sent = request({ hostname, port, path: '/verify', headers }, (response) => {
        text(response).then((body) => resolve([response.statusCode, body]), reject);
      });
      sent.once('error', reject).end();
    });
    expect(answered).toEqual([401, expect.stringContaining('"bad_signature"')]);
  });

  it.each(['access_token', 'token', 'bearer', 'authorization'])(
    'in the query as %s is nothing',
    async (name) => {
      const query = `?${name}=${good}`;
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
      expect((await fetch(`${server.url}/mcp${query}`, init)).status).toBe(401);
      const [asked, anonymous] = await Promise.all(
        [query, ''].map(async (suffix) => (await fetch(`${server.url}/verify${suffix}`)).text()),
      );
      expect(asked).toBe(anonymous);
      expect(asked).not.toContain('care-internal');
    },
  );

  it('that is absent is told where to get one, and no error', async () => {
    for (const authorization of [null, 'Basic dXNlcjpwYXNz']) {
      const answer = await read(authorization);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer scope="care.read.user", resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`,
      );
      expect(await answer.json()).toMatchObject({ code: 'unsigned' });
    }
  });

  it('with no scope that reads is told so, in the same bytes whatever it asks', async () => {
    const token = await server.mint('care.write care.speak care.audit', { subject: '*' });
    const authorization = `Bearer ${token}`;
    const uris = [
      'care://ray/wound',
      'care-internal://ray/risk',
      'care://ray/absent',
      'CARE://ray/wound',
      'x',
    ];
    const answers = await Promise.all([
      ...uris.map((uri) => read(authorization, uri)),
      post(server.url, initialize(), { authorization }),
      post(server.url, 'not json', { authorization }),
      fetch(`${server.url}/mcp`, { headers: { authorization, accept: 'text/event-stream' } }),
      fetch(`${server.url}/mcp`, { method: 'DELETE', headers: { authorization } }),
    ]);
    const told = await Promise.all(
      answers.map(async (answer) => [
        answer.status,
        answer.headers.get('www-authenticate'),
        await answer.text(),
      ]),
    );
    expect(new Set(told.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(told[0]?.[0]).toBe(403);
    expect(told[0]?.[1]).toContain('error="insufficient_scope"');
    expect(told[0]?.[1]).toContain(`scope="${READ_BOTH}"`);
    expect(told[0]?.[2]).toContain('"code":"insufficient_scope"');
  });

  it('ends to the second when its hour is over', async () => {
    const token = await server.mint(READ_BOTH);
    const { exp = 0 } = decodeJwt(token);
    clock.move(exp * 1000 - clock.now - 1);
    expect((await read(`Bearer ${token}`)).status).toBe(200);
    clock.move(1);
    expect((await read(`Bearer ${token}`)).status).toBe(401);
    clock.move(-HOUR);
  });
});

/** A good token with other claims under its old signature. */
function edited(claims: Record<string, unknown>): string {
  const [header, , signature] = good.split('.');
  const payload = Buffer.from(JSON.stringify({ ...decodeJwt(good), ...claims })).toString('base64url');
  return [header, payload, signature].join('.');
}
