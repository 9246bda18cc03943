import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Phase } from './arrival.ts';
import { type Probe, startProbe } from './probe-server.ts';
import { type ClientReport, reportOn } from './report.ts';
import { openProbeStore, type ProbeStore, readProbeStore } from './store.ts';

let folder: string;
let store: ProbeStore;
let probe: Probe;
const faults: unknown[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-test-'));
  store = openProbeStore(folder);
});

afterEach(async () => {
  await probe.close();
  store.close();
  rmSync(folder, { recursive: true });
  expect(faults.splice(0)).toEqual([]);
});

async function start(phase: Phase): Promise<void> {
  probe = await startProbe({
    phase,
    port: 0,
    store,
    day: '2026-12-01',
    randomness: { bytes: (_purpose, _record, length) => new Uint8Array(randomBytes(length)) },
    monotonicNow: () => performance.now(),
    onFault: (error) => faults.push(error),
  });
}

const clientInfo = { name: 'tried-client', version: '1.2.3' };
const META = 'io.modelcontextprotocol';

function post(message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${probe.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': 'tried/1.2',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
}

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: { roots: {} }, clientInfo },
};

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function jsonOf<T>(answer: Promise<Response>): Promise<T> {
  return (await (await answer).json()) as T;
}

/** Opens a session and gives its headers. */
async function session(headers: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
  const opened = await post(initialize, headers);
  expect(opened.status).toBe(200);
  await opened.text();
  return {
    ...headers,
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-06-18',
  };
}

/** What a reader of the running probe's records is told; `count` requests have been answered. */
function reports(count: number): readonly ClientReport[] {
  const arrivals = readProbeStore(folder);
  expect(arrivals).toHaveLength(count);
  return reportOn(arrivals);
}

describe('the open phase', () => {
  it('takes a client of the older era through a session and tells what it did', async () => {
    await start('open');
    const headers = await session();
    await (await post({ method: 'resources/list', params: {} }, headers)).text();
    const called = await post(
      { method: 'tools/call', params: { name: 'whats_changed', arguments: {} } },
      headers,
    );
    expect(await called.json()).toMatchObject({ result: { structuredContent: { changes: [] } } });
    expect(reports(3)).toEqual([
      {
        run: 1,
        day: '2026-12-01',
        phase: 'open',
        client: 'tried-client',
        version: '1.2.3',
        era: 'legacy',
        revisions: ['2025-06-18'],
        capabilities: { roots: {} },
        firstMethod: 'initialize',
        methods: ['initialize', 'resources/list', 'tools/call'],
        walk: [],
        retries: 0,
        requests: 3,
        oddities: [
          'offers a revision that is not the newest of its era',
          'leaves its session open when it goes',
        ],
      },
    ]);
  });

  it('tells a listener of the newer era that the fact changed', async () => {
    await start('open');
    const uri = 'care://ray/wound';
    const meta = {
      [`${META}/protocolVersion`]: '2026-07-28',
      [`${META}/clientCapabilities`]: {},
      [`${META}/clientInfo`]: clientInfo,
    };
    const listening = await post(
      {
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: [uri] }, _meta: meta },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );
    let heard = '';
    for await (const text of listening.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (heard === '') probe.change();
      heard += text;
      if (heard.includes('notifications/resources/updated')) break;
    }
    expect(heard).toContain(uri);
    expect(reports(1)[0]).toMatchObject({ era: 'modern', firstMethod: 'subscriptions/listen' });
  });

  it('keeps two clients apart that share nothing but an address', async () => {
    await start('open');
    const headers = await session();
    const other = {
      ...initialize,
      params: { ...initialize.params, clientInfo: { name: 'another', version: '2' } },
    };
    await (await post(other, { 'user-agent': 'another/2' })).text();
    await (await post({ method: 'tools/list' }, headers)).text();
    expect(reports(3).map(({ client, requests }) => [client, requests])).toEqual([
      ['tried-client', 2],
      ['another', 1],
    ]);
  });

  it.each([
    ['host', { host: 'evil.example' }],
    ['origin', { origin: 'https://evil.example' }],
  ])('refuses a foreign %s', async (_which, headers) => {
    await start('open');
    const { port } = new URL(probe.url);
    const status = await new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject).end('{}');
    });
    expect(status).toBe(403);
  });

  it('has no other door: nothing but the endpoint answers', async () => {
    await start('open');
    const paths = [
      '/',
      '/report',
      '/reports',
      '/api',
      '/register',
      '/token',
      '/.well-known/oauth-authorization-server',
    ];
    const statuses = await Promise.all(
      paths.map(async (path) => (await fetch(`${probe.url}${path}`)).status),
    );
    expect(statuses).toEqual(paths.map(() => 404));
  });
});

describe('the phase that asks for a token', () => {
  it('lets a client walk from the challenge to a session, and keeps none of its secrets', async () => {
    await start('auth');
    const refused = await post(initialize);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    expect([refused.status, challenge.includes('error=')]).toEqual([401, false]);
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const metadata = await jsonOf<{ resource: string; authorization_servers: string[] }>(fetch(metadataUrl));
    expect(metadata.resource).toBe(`${probe.url}/mcp`);
    const server = await jsonOf<
      Record<'registration_endpoint' | 'authorization_endpoint' | 'token_endpoint', string>
    >(fetch(`${metadata.authorization_servers[0]}/.well-known/oauth-authorization-server`));
    const registered = await jsonOf<{ client_id: string }>(
      fetch(server.registration_endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'tried-client',
          redirect_uris: ['http://127.0.0.1:4000/done', 'cursor://done', 'https://app.example/done'],
        }),
      }),
    );
    const verifier = randomBytes(32).toString('base64url');
    const state = randomBytes(16).toString('base64url');
    const asked = new URL(server.authorization_endpoint);
    asked.search = new URLSearchParams({
      response_type: 'code',
      client_id: registered.client_id,
      redirect_uri: 'http://127.0.0.1:4999/done',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: `${probe.url}/mcp/`,
    }).toString();
    const sent = await fetch(asked, { redirect: 'manual' });
    const landed = new URL(sent.headers.get('location') ?? '');
    expect([landed.searchParams.get('state'), landed.searchParams.get('iss')]).toEqual([state, probe.url]);
    const code = landed.searchParams.get('code') ?? '';
    const exchange = (fields: Record<string, string>): Promise<Response> =>
      fetch(server.token_endpoint, { method: 'POST', body: new URLSearchParams(fields) });
    const redirect_uri = 'http://127.0.0.1:4999/done';
    const bad = await exchange({ grant_type: 'authorization_code', code, code_verifier: 'no', redirect_uri });
    expect(bad.status).toBe(400);
    const again = new URL((await fetch(asked, { redirect: 'manual' })).headers.get('location') ?? '');
    const good = {
      grant_type: 'authorization_code',
      code: again.searchParams.get('code') ?? '',
      redirect_uri,
    };
    const tokens = await jsonOf<Tokens>(exchange({ ...good, code_verifier: verifier }));
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    await (await exchange(refresh)).text();
    const twice = await jsonOf<Tokens>(exchange(refresh));
    const headers = await session({ authorization: `Bearer ${tokens.access_token}` });
    const listed = await post({ method: 'tools/list' }, headers);
    expect(listed.status).toBe(200);
    await listed.text();

    const [report, ...others] = reports(12);
    expect(others).toEqual([]);
    expect(report?.walk).toEqual([
      'POST /mcp 401',
      'GET /.well-known/oauth-protected-resource/mcp 200',
      'GET /.well-known/oauth-authorization-server 200',
      'POST /register 201',
      'GET /authorize 302',
      'POST /token 400',
      'GET /authorize 302',
      ...Array.from({ length: 3 }, () => 'POST /token 200'),
    ]);
    expect(report?.retries).toBe(2);
    expect(report?.oddities).toEqual([
      'adds a slash to the endpoint’s address',
      'registers redirects of several kinds at once',
      'comes back to another loopback port than it registered',
      'sends one refresh token twice',
      'offers a revision that is not the newest of its era',
      'leaves its session open when it goes',
    ]);
    const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file)).toString('latin1'));
    const secrets = [
      ...[verifier, state, code, good.code, registered.client_id, headers['mcp-session-id'] ?? ''],
      ...[tokens.access_token, tokens.refresh_token, twice.access_token],
    ];
    expect(new Set(secrets).size).toBe(9);
    expect(secrets.filter((secret) => bytes.join('\n').includes(secret))).toEqual([]);
  });

  it('refuses a token that it did not issue, and a redirect that was not registered', async () => {
    await start('auth');
    const refused = await post(initialize, { authorization: 'Bearer from-somewhere-else' });
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const asked = await fetch(`${probe.url}/authorize?client_id=x&redirect_uri=https://evil.example/`, {
      redirect: 'manual',
    });
    expect([asked.status, asked.headers.get('location')]).toEqual([400, null]);
    expect(reports(2)[0]?.oddities).toContain('comes back to an address that it did not register');
  });
});
