import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Arrival } from './arrival.ts';
import { plainAgent, plainName, plainVersion } from './plain-name.ts';
import { type RawRequest, redactRequest } from './redact-request.ts';
import { openProbeStore } from './store.ts';

const ORIGIN = 'http://127.0.0.1:8790';

/** Keys, tokens and codes as they are really made: never less than 96 bits. */
const secrets = fc.oneof(
  fc.uint8Array({ minLength: 16, maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.uint8Array({ minLength: 12, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc
    .uint8Array({ minLength: 16, maxLength: 32 })
    .map((bytes) => `sk-live_${Buffer.from(bytes).toString('base64')}`),
  fc
    .array(fc.uint8Array({ minLength: 16, maxLength: 24 }), { minLength: 3, maxLength: 3 })
    .map((parts) => parts.map((part) => Buffer.from(part).toString('base64url')).join('.')),
  fc.uuid(),
  fc.string({ unit: 'grapheme', minLength: 24, maxLength: 40 }).filter((text) => text.trim().length >= 24),
);

/** The ways in which a text may be written somewhere else. */
function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    [...secret].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    [...secret].reverse().join(''),
  ];
}

const message = (params: unknown, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, ...more });
const json = (body: string, headers: RawRequest['headers'] = {}): RawRequest => ({
  method: 'POST',
  target: '/mcp',
  headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
  body: Buffer.from(body),
});
const form = (field: string, value: string): RawRequest => ({
  method: 'POST',
  target: '/token',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(new URLSearchParams({ grant_type: 'authorization_code', [field]: value }).toString()),
});
const get = (target: string): RawRequest => ({ method: 'GET', target, headers: {}, body: new Uint8Array() });

/** Everywhere a client can put something. */
const PLACES: Readonly<Record<string, (text: string) => RawRequest>> = {
  'a bearer token': (text) => json(message({}), { authorization: `Bearer ${text}` }),
  'a basic credential': (text) =>
    json(message({}), { authorization: `Basic ${Buffer.from(`me:${text}`).toString('base64')}` }),
  'a credential of no scheme': (text) => json(message({}), { authorization: text }),
  'a cookie': (text) => json(message({}), { cookie: `session=${text}; a=b` }),
  'an api key': (text) => json(message({}), { 'x-api-key': text, 'proxy-authorization': text }),
  'a header of its own': (text) => json(message({}), { 'x-my-own': text }),
  'the name of a header': (text) => json(message({}), { [text]: '1' }),
  'the session id': (text) => json(message({}), { 'mcp-session-id': text, 'last-event-id': text }),
  'headers that are words': (text) =>
    json(message({}), { 'mcp-protocol-version': text, 'mcp-method': text, 'mcp-name': text, accept: text }),
  'the content type': (text) => json(message({}), { 'content-type': `${text}; boundary=${text}` }),
  'host and user agent': (text) => json(message({}), { host: text, 'user-agent': `app/${text} (${text})` }),
  'the user agent': (text) => json(message({}), { 'user-agent': text }),
  'a method': (text) => ({ ...get('/mcp'), method: text }),
  'the path': (text) => get(`/mcp/${encodeURIComponent(text)}/x`),
  'the path as it is': (text) => get(`/${text}`),
  'a known field of the query': (text) =>
    get(`/authorize?code_challenge=${encodeURIComponent(text)}&state=${encodeURIComponent(text)}`),
  'a field of the query': (text) => get(`/mcp?${encodeURIComponent(text)}=1&key=${encodeURIComponent(text)}`),
  'the redirect and the resource': (text) =>
    get(
      `/authorize?redirect_uri=http://127.0.0.1/${encodeURIComponent(text)}&resource=${encodeURIComponent(text)}&client_id=${encodeURIComponent(text)}&scope=${encodeURIComponent(text)}`,
    ),
  'a code': (text) => form('code', text),
  'a verifier': (text) => form('code_verifier', text),
  'a client secret': (text) => form('client_secret', text),
  'a refresh token': (text) => form('refresh_token', text),
  'a field of a form': (text) => form(text, text),
  'a registration': (text) =>
    json(
      JSON.stringify({
        client_name: text,
        client_secret: text,
        software_statement: text,
        software_version: text,
        redirect_uris: [`${ORIGIN}/${text}`, text],
        contacts: [text],
        [text]: text,
      }),
    ),
  'an argument of a tool': (text) =>
    json(message({ name: text, arguments: { subject: text, [text]: [text] } })),
  'a uri': (text) => json(message({ uri: `care://ray/${text}`, cursor: text })),
  'the metadata of a request': (text) =>
    json(
      message({
        _meta: { progressToken: text, [text]: text, 'io.modelcontextprotocol/protocolVersion': text },
      }),
    ),
  'the name of the client': (text) =>
    json(message({ clientInfo: { name: text, version: text, title: text }, capabilities: { [text]: {} } })),
  'the name and the credential': (text) =>
    json(message({ clientInfo: { name: text, version: '1' } }), { authorization: `Bearer ${text}` }),
  'an id and a method': (text) =>
    json(message({}, { id: text, method: text, jsonrpc: text, error: { message: text } })),
  'a body that is no json': (text) => json(text),
  'a json text': (text) => json(JSON.stringify(text)),
  'a deep place': (text) => json(JSON.stringify(Array.from({ length: 20 }).reduce((inner) => [inner], text))),
};

function bytesOf(folder: string): string {
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file)).toString('latin1'))
    .join('\n');
}

/** Everything that a folder holds after these requests, while it is written and when it is closed. */
function storedAfter(...requests: readonly RawRequest[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'probe-test-'));
  try {
    const store = openProbeStore(folder);
    const run = store.openRun('2026-12-01');
    const answer = { status: 200, body: 'json', outcome: 'result', code: null, fields: [] } as const;
    const rest = {
      phase: 'open',
      visitor: 1,
      place: 1,
      atMs: 0,
      credential: 'none',
      notes: [],
      answer,
    } as const;
    for (const raw of requests) {
      const arrival: Arrival = { ...redactRequest(raw, ORIGIN), ...rest };
      store.keep(run, arrival);
    }
    const open = bytesOf(folder);
    store.close();
    return open + bytesOf(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('what is stored', () => {
  it.each(Object.entries(PLACES))(
    'never holds a secret from %s, however it was or could be spelled',
    (_place, put) => {
      const given = fc.array(fc.tuple(secrets, fc.nat({ max: 7 })), { minLength: 1, maxLength: 24 });
      fc.assert(
        fc.property(given, (all) => {
          const requests = all.map(([secret, spelling]) => put(spellings(secret)[spelling] ?? secret));
          const stored = storedAfter(...requests).toLowerCase();
          const found = all
            .flatMap(([secret]) => spellings(secret))
            .filter((text) => stored.includes(Buffer.from(text).toString('latin1').toLowerCase()));
          expect(found).toEqual([]);
        }),
        { numRuns: 3 },
      );
    },
  );

  it('holds the words that a report needs', () => {
    const stored = storedAfter(
      json(message({ name: 'whats_changed', clientInfo: { name: 'Claude Code', version: '2.1.44' } }), {
        authorization: 'Bearer of-no-interest-at-all',
        'user-agent': 'codex-mcp-client/0.171.0',
        'mcp-protocol-version': '2025-11-25',
      }),
    );
    for (const word of [
      'whats_changed',
      'Claude Code',
      '2.1.44',
      'codex-mcp-client/0.171.0',
      '2025-11-25',
      '<bearer>',
    ])
      expect(stored).toContain(word);
  });

  it('drops a name that repeats the credential', () => {
    const raw = json(message({ clientInfo: { name: 'horse battery', version: '1' } }), {
      authorization: 'Bearer battery',
    });
    expect(redactRequest(raw, ORIGIN).body).toMatchObject({
      params: { clientInfo: { name: '<repeats a credential>', version: '1' } },
    });
  });
});

describe('names', () => {
  it.each([
    'mcp-remote-fallback-test',
    '@mastra/mcp',
    'behind-mcp-remote (via mcp-remote 0.15.1)',
    'Visual Studio Code',
    'ChatGPT',
  ])('%s stays', (name) => {
    expect(plainName(name)).toBe(name);
  });

  it.each([
    ['of no letters', '***'],
    ['that is long', 'a '.repeat(40)],
    ['that is one long word', 'correcthorsebatterystaple'],
    ['that mixes digits in', 'a1b2c3d4'],
  ])('a name %s does not', (_what, name) => {
    expect(plainName(name)).toBe('<name>');
  });

  it('keeps versions and the programs of a user agent', () => {
    expect(plainVersion('2.0.0-alpha.12')).toBe('2.0.0-alpha.12');
    expect(plainVersion('4f5e6d7c8b9a')).toBe('<version>');
    expect(plainAgent('node')).toBe('node');
    expect(plainAgent('curl/7.88.1 x9F3kq81Lm')).toBe('curl/7.88.1 <name>');
  });
});
