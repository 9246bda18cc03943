import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { pair, pairingCode } from '../harness/pairing.ts';
import { initialize, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { EVERYTHING, INTERNAL, INTERNAL_WORDS, READ_BOTH, SPEAKABLE } from './demonstration.ts';

const ALLOWED = 'https://app.example.org';
const FOREIGN = ['https://evil.example', 'null', 'http://localhost.evil.example', `${ALLOWED}.evil.example`];
const SCOPES = 'care.read.user care.read.assistant care.write care.speak care.audit'.split(' ');

const data = temporaryFolder();
const clock = new ClockFile(Date.parse('2031-05-06T07:08:09.123Z'));
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data, { UNSAY_ALLOWED_ORIGINS: ALLOWED, UNSAY_CLOCK: clock.setting });
  const mia = signed(writeBody('care://mia/diet', 'Soup.'), { at: clock.now });
  expect((await send(server.url, mia)).status).toBe(201);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
  clock.remove();
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers, redirect: 'manual' });

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends what fetch will not: another Host, or a path as it is. */
function raw(path: string, headers: Record<string, string>, method = 'GET'): Promise<Raw> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname: '127.0.0.1', port, path, method, headers }, (response) => {
      const { statusCode: status } = response;
      text(response).then((body) => resolve({ status, headers: response.headers, body }), reject);
    });
    sent.once('error', reject).end();
  });
}

describe('the server', () => {
  it.each(['/healthz', '/readyz'])('says at %s that it is well, and nothing else', async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
    expect((await raw(path, { host: 'localhost' }, 'HEAD')).status).toBe(200);
  });

  it('publishes public keys and no private one', async () => {
    const { keys } = (await (await get('/jwks')).json()) as { keys: object[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
  });

  it('describes its endpoint at both well-known addresses alike', async () => {
    const path = '/.well-known/oauth-protected-resource';
    const [root, scoped] = await Promise.all([path, `${path}/mcp`].map(async (at) => (await get(at)).json()));
    expect(root).toEqual(scoped);
    expect(scoped).toMatchObject({
      resource: `${server.url}/mcp`,
      authorization_servers: [server.url],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
    });
    const issuer = await (await get('/.well-known/oauth-authorization-server')).json();
    expect(issuer).toMatchObject({
      issuer: server.url,
      jwks_uri: `${server.url}/jwks`,
      scopes_supported: SCOPES,
    });
  });

  it('dates its answers by its clock', async () => {
    expect((await get('/healthz')).headers.get('date')).toBe('Tue, 06 May 2031 07:08:09 GMT');
    expect((await get('/no/such')).headers.get('date')).toBe('Tue, 06 May 2031 07:08:09 GMT');
    clock.blank();
    expect((await get('/healthz')).headers.get('date')).toBe('Tue, 06 May 2031 07:08:09 GMT');
    clock.move(0);
  });

  it('says loudly at its start where its time comes from', () => {
    expect(server.lines.slice(0, 2).join('\n')).toContain(
      `CLOCK: all time comes from UNSAY_CLOCK (${clock.setting})`,
    );
  });

  it.each([
    ['DELETE', '/write', 'POST'],
    ['GET', '/write', 'POST'],
    ['GET', '/pair', 'POST'],
    ['PUT', '/mcp', 'GET, POST, DELETE'],
    ['PATCH', '/mcp/', 'GET, POST, DELETE'],
    ['POST', '/verify', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/jwks', 'GET, HEAD'],
    ['DELETE', '/device', 'GET, HEAD'],
  ])('refuses %s %s and names what it takes', async (method, path, allow) => {
    const answer = await fetch(`${server.url}${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
  });

  it.each([
    '/nothing',
    '/mcp/x',
    '/device/',
    '/.well-known/',
    '/../etc/passwd',
    '/%2e%2e/package.json',
    '/constructor',
  ])('has nothing at %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await raw(path, { host: 'localhost' }, method);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(JSON.parse(answer.body)).toMatchObject({
        code: 'not_found',
        next: expect.stringContaining(' '),
      });
    }
  });

  it.each(['//evil.example/device', 'http://evil.example/device', '*'])(
    'takes no target like %s',
    async (path) => {
      expect((await raw(path, { host: 'localhost' })).status).toBe(400);
    },
  );

  it.each(['/mcp', '/mcp/'])('serves MCP at %s', async (path) => {
    const token = await server.mint('care.read.user');
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(initialize()),
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"protocolVersion":"2025-11-25"');
  });
});

describe('pages', () => {
  it.each(['/', '/device', '/console'])(
    '%s loads from here alone, runs nothing inline and is in no frame',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      const policy = answer.headers.get('content-security-policy') ?? '';
      for (const rule of [
        "default-src 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "base-uri 'none'",
      ])
        expect(policy).toContain(rule);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      const page = await answer.text();
      expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|\son[a-z]+=|<style|style=/);
      for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^[/#]/);
    },
  );

  it.each(['/', '/device', '/console?x=1'])('%s is at home at localhost', async (path) => {
    const { port } = new URL(server.url);
    const moved = await raw(path, { host: `127.0.0.1:${port}` });
    expect([moved.status, moved.headers.location]).toEqual([307, `http://localhost:${port}${path}`]);
  });

  it('are the only thing that moves: the API answers under both names', async () => {
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.1:1', 'localhost:65535']) {
      const answer = await raw('/verify?subject=ray&topic=wound', { host });
      expect([answer.status, JSON.parse(answer.body).chains.length]).toEqual([200, 1]);
    }
  });
});

describe('a foreign name', () => {
  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '169.254.169.254',
    '[::ffff:7f00:2]',
  ])('as Host %s is refused everywhere', async (host) => {
    for (const path of ['/', '/mcp', '/verify', '/healthz', '/jwks', '/pair', '/nothing']) {
      const answer = await raw(path, { host });
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([403, 'origin_refused']);
    }
  });

  it.each(FOREIGN)('as Origin %s is refused, before any credential is looked at', async (origin) => {
    const token = await server.mint(READ_BOTH);
    const code = await pairingCode(server, 'device');
    const answers = await Promise.all([
      post(server.url, initialize(), { origin, authorization: `Bearer ${token}` }),
      post(server.url, initialize(), { origin }),
      get('/mcp', { origin, authorization: `Bearer ${token}`, accept: 'text/event-stream' }),
      pair(server, code, { origin }),
    ]);
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      expect(await answer.json()).toMatchObject({ code: 'origin_refused' });
    }
    expect((await pair(server, code)).status).toBe(200);
    const preflight = await fetch(`${server.url}/mcp`, { method: 'OPTIONS', headers: { origin } });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it('that is allowed may call from a browser', async () => {
    const preflight = await fetch(`${server.url}/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: ALLOWED,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
      },
    });
    const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').split(/, */);
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const sent = [
      'authorization',
      'content-type',
      'mcp-method',
      'mcp-name',
      'mcp-protocol-version',
      'mcp-session-id',
    ];
    expect(allowed).toEqual(expect.arrayContaining(sent));
    const authorization = `Bearer ${await server.mint('care.read.user')}`;
    const answer = await post(server.url, initialize(), { origin: ALLOWED, authorization });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, ALLOWED]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
    expect(answer.headers.get('vary')).toContain('Origin');
    expect((await pair(server, await pairingCode(server, 'landing'), { origin: ALLOWED })).status).toBe(200);
  });
});

interface Chain {
  readonly uri: string;
  readonly intact: boolean;
  readonly versions: readonly Readonly<Record<string, unknown>>[];
}

describe('GET /verify', () => {
  async function chains(query = '', token: string | null = null): Promise<Chain[]> {
    const answer = await get(`/verify${query}`, token === null ? {} : { authorization: `Bearer ${token}` });
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as { chains: Chain[] };
    expect(Object.keys(body)).toEqual(['chains']);
    return body.chains;
  }
  const urisOf = (found: readonly Chain[]): string[] => found.map(({ uri }) => uri);

  it('shows anyone what may be spoken of the public subject, and nothing else', async () => {
    const answer = await (await get('/verify')).text();
    expect(urisOf(await chains())).toEqual(SPEAKABLE);
    for (const words of [...INTERNAL, ...INTERNAL_WORDS, 'internal', 'mia', 'risk', 'family'])
      expect(answer).not.toContain(words);
    expect(urisOf(await chains('?subject=ray&topic=wound'))).toEqual(['care://ray/wound']);
  });

  it('shows hashes that are linked, and how each version is sealed', async () => {
    const [chain] = await chains('?subject=ray&topic=weight_bearing');
    const [first, second] = chain?.versions ?? [];
    expect(chain?.intact).toBe(true);
    expect(first).toEqual({
      version: 1,
      kind: 'create',
      versionHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      prevHash: null,
      writtenAt: '2031-05-01T07:08:09.123Z',
      attested: false,
      sealed: {
        provider: 'local',
        keyId: expect.stringMatching(/^[0-9a-f]{16}$/),
        nonce: expect.stringMatching(/^[0-9a-f]{24}$/),
        tag: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
    expect(second).toMatchObject({ version: 2, kind: 'revise', prevHash: first?.versionHash });
  });

  it('shows each holder what it may read', async () => {
    expect(urisOf(await chains('', await server.mint(READ_BOTH)))).toEqual(EVERYTHING);
    expect(urisOf(await chains('', await server.mint('care.read.assistant')))).toEqual(INTERNAL);
    expect(urisOf(await chains('', await server.mint(READ_BOTH, { subject: 'mia' })))).toEqual([
      'care://mia/diet',
    ]);
    expect(urisOf(await chains('?subject=mia', await server.mint(READ_BOTH, { subject: '*' })))).toHaveLength(
      1,
    );
    expect(urisOf(await chains('', await server.mint('care.write')))).toEqual([]);
  });

  it('answers forbidden, absent and malformed names in the same bytes', async () => {
    const queries = [
      'subject=mia',
      'subject=nobody',
      'subject=RAY',
      'subject=ray&topic=risk',
      'topic=family',
    ];
    const more = [
      'subject=ray&topic=absent',
      'topic=%2e%2e',
      'subject=',
      'topic=',
      'subject=ray%00',
      'subject=*',
    ];
    const answers = await Promise.all(
      [...queries, ...more].map(async (query) => (await get(`/verify?${query}`)).text()),
    );
    expect(new Set(answers)).toEqual(new Set(['{"chains":[]}']));
  });

  it.each(['Bearer nonsense', 'Bearer', 'Basic dXNlcjpwYXNz', 'nonsense'])(
    'never takes a caller with the credential “%s” for one without any',
    async (authorization) => {
      const answer = await get('/verify', { authorization });
      expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining('chains')]);
      expect(answer.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp"');
    },
  );
});

it('no request has made the server fail', () => {
  expect(server.faults()).toBe('');
});
