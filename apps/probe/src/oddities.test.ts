import { describe, expect, it } from 'vitest';
import type { Answer, Arrival, Note } from './arrival.ts';
import { odditiesOf } from './oddities.ts';
import { redactRequest } from './redact-request.ts';

const META = 'io.modelcontextprotocol';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly status?: number;
  readonly notes?: readonly Note[];
}

function arrived({
  method = 'POST',
  target = '/mcp',
  headers = {},
  body,
  status = 200,
  notes = [],
}: Sent): Arrival {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const raw = { method, target, headers: { ...HEADERS, ...headers }, body: bytes };
  const answer: Answer = { status, body: 'json', outcome: 'result', code: null, fields: [] };
  return {
    ...redactRequest(raw, 'http://127.0.0.1:8790'),
    ...{ phase: 'open', visitor: 1, place: 1, atMs: 0, credential: 'none', notes, answer },
  };
}

const initialize: Sent = { body: { method: 'initialize', params: { protocolVersion: '2025-11-25' } } };
const inSession = { 'mcp-session-id': 'one', 'mcp-protocol-version': '2025-11-25' };
const list = { method: 'tools/list', params: {} };
const ended: Sent = { method: 'DELETE', headers: inSession };
const modern = (revision: string): object => ({
  method: 'tools/list',
  params: { _meta: { [`${META}/protocolVersion`]: revision } },
});
const registration = (redirects: readonly string[]): Sent => ({
  target: '/register',
  body: { redirect_uris: redirects },
});

const ROWS: readonly (readonly [words: string | null, what: string, ...sent: readonly Sent[]])[] = [
  [null, 'a session in good order', initialize, { headers: inSession, body: list }, ended],
  [
    null,
    'a modern request',
    { headers: { 'mcp-protocol-version': '2026-07-28' }, body: modern('2026-07-28') },
  ],
  [
    'says one revision in the header and another in _meta',
    'a header of the older era with a _meta of the newer',
    { headers: { 'mcp-protocol-version': '2025-11-25' }, body: modern('2026-07-28') },
  ],
  [
    'leaves the revision out of requests after initialize',
    'a session without the header',
    initialize,
    { headers: { 'mcp-session-id': 'one' }, body: list },
    ended,
  ],
  [
    'leaves the session id out after initialize',
    'a request beside its session',
    initialize,
    { headers: { 'mcp-protocol-version': '2025-11-25' }, body: list },
  ],
  ['sends _meta beside params instead of inside', 'a top-level _meta', { body: { ...list, _meta: {} } }],
  ['adds a slash to the endpoint’s address', 'a slash at the end', { target: '/mcp/', body: list }],
  [
    'adds a slash to the endpoint’s address',
    'a slash in the metadata’s address',
    { method: 'GET', target: '/.well-known/oauth-protected-resource/mcp/', status: 404 },
  ],
  [
    'stops at the challenge',
    'nothing but refused requests',
    { body: list, status: 401 },
    { body: list, status: 401 },
  ],
  [
    null,
    'a walk that goes on',
    { body: list, status: 401 },
    { method: 'GET', target: '/.well-known/oauth-protected-resource/mcp' },
  ],
  [
    'registers redirects of several kinds at once',
    'a scheme of its own, a page and loopback',
    registration(['cursor://x/y', 'https://app.example/done', 'http://127.0.0.1:80/done']),
  ],
  [null, 'two ports of loopback', registration(['http://127.0.0.1:80/done', 'http://127.0.0.1:81/done'])],
  [
    'comes back to another loopback port than it registered',
    'another port',
    {
      method: 'GET',
      target: '/authorize',
      notes: ['the redirect differs from the registered one in its port'],
    },
  ],
  [
    'sends one refresh token twice',
    'a token that came twice',
    { target: '/token', notes: ['a refresh token came twice'] },
  ],
  [
    'offers a revision that is not the newest of its era',
    'an older revision',
    { body: { method: 'initialize', params: { protocolVersion: '2025-06-18' } } },
  ],
  ['does not accept event streams', 'JSON alone', { headers: { accept: 'application/json' }, body: list }],
  ['leaves its session open when it goes', 'no DELETE', initialize, { headers: inSession, body: list }],
];

describe('what is odd', () => {
  it.each(ROWS.map(([words, what, ...sent]) => ({ words, what, sent })))(
    '$words: $what',
    ({ words, sent }) => {
      expect(odditiesOf(sent.map(arrived))).toEqual(words === null ? [] : [words]);
    },
  );
});
