import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NotesApplication } from '../fixtures/notes-application.ts';
import { envelope, MODERN, type RawRequest, send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import { wellFormedRequests } from './well-formed.ts';

// Two roads to one application: one endpoint answers directly where it can, the other always asks the SDK.
let direct: ServedNotes;
let sdk: ServedNotes;
/** Server objects of the SDK that each endpoint built. */
const built = { direct: 0, sdk: 0 };
beforeAll(async () => {
  direct = await serveNotes({ application: counted('direct') });
  sdk = await serveNotes({ application: counted('sdk'), direct: false });
});
afterAll(() => Promise.all([direct.stop(), sdk.stop()]));

/** The notes, counting who is told of their instructions: every server object is, and nobody else. */
function counted(road: 'direct' | 'sdk'): NotesApplication {
  const notes = { 'open://apple': 'red', 'open://pear': 'grün', 'staff://apple': 'x' };
  return Object.defineProperty(new NotesApplication(notes), 'instructions', {
    get: () => {
      built[road] += 1;
      return 'Read notes.';
    },
  });
}

const wellFormed = wellFormedRequests();

/** Whether the direct road takes it: otherwise the comparison would compare the SDK with itself. */
function isDirect({ headers = {}, body }: RawRequest): boolean {
  return wellFormed(headers, JSON.parse(String(body))) !== undefined;
}

/** All that a client can tell two answers apart by. */
function seen({ status, headers, body }: { status: number; headers: IncomingHttpHeaders; body: string }) {
  const { date: _date, ...others } = headers;
  return { status, headers: others, body };
}

async function bothAnswers(request: RawRequest) {
  const [left, right] = await Promise.all([send(direct.url, request), send(sdk.url, request)]);
  return { direct: seen(left), sdk: seen(right) };
}

const uri = fc.constantFrom(
  'open://apple',
  'open://pear',
  'staff://apple',
  'OPEN://apple',
  'open://%61pple',
  '=?base64?YQ==?=',
  ' open://apple',
  'é',
  '',
);
const oddMeta = fc.constantFrom<Record<string, unknown>>(
  { 'io.modelcontextprotocol/clientCapabilities': { elicitation: 7 } },
  { 'io.modelcontextprotocol/clientCapabilities': undefined },
  { 'io.modelcontextprotocol/clientInfo': { name: 1 } },
  { 'io.modelcontextprotocol/logLevel': 'debug' },
  { 'io.modelcontextprotocol/logLevel': 'loud' },
  { 'io.modelcontextprotocol/protocolVersion': '2026-08-01' },
  { progressToken: 'p' },
  { progressToken: 1.5 },
  { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  {},
);
const call = fc.oneof(
  { weight: 4, arbitrary: fc.record({ method: fc.constant('resources/read'), params: fc.record({ uri }) }) },
  fc.record({
    method: fc.constant('resources/read'),
    params: fc.constantFrom<Record<string, unknown>>(
      {},
      { uri: 7 },
      { uri: 'open://apple', extra: 1 },
      { uri: 'open://broken' },
    ),
  }),
  fc.record({
    method: fc.constant('resources/list'),
    params: fc.constantFrom<Record<string, unknown>>(
      {},
      { cursor: 'open://apple' },
      { cursor: 'forged' },
      { cursor: 4 },
    ),
  }),
  fc.record({
    method: fc.constant('tools/call'),
    params: fc.constantFrom<Record<string, unknown>>(
      { name: 'count', arguments: { prefix: 'a' } },
      { name: 'count', arguments: { prefix: 4 } },
      { name: 'count' },
      { name: 'count', arguments: [] },
      { name: 'count', arguments: null },
      { name: 'refuse' },
      { name: 'break' },
      { name: 'strict', arguments: {} },
      { name: 'nothing' },
      {},
    ),
  }),
  fc.record({
    method: fc.constant('subscriptions/listen'),
    params: fc.constantFrom<Record<string, unknown>>(
      {},
      { notifications: { resourceSubscriptions: ['staff://apple', 'open://none'] } },
      { notifications: { resourceSubscriptions: 'open://apple' } },
      { notifications: { resourcesListChanged: 'yes' } },
      { notifications: [], extra: 1 },
    ),
  }),
  fc.record({
    method: fc.constantFrom<unknown>('server/discover', 'prompts/list', 'ping', 'initialize', 'burn', '', 7),
    params: fc.constant({}),
  }),
);
const message = fc.record({
  call,
  id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom<unknown>(1.5, null, true, undefined, -0)),
  meta: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, oddMeta),
  jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>('2.0') }, fc.constantFrom('1.0', 2, null)),
  envelopeLeftOut: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  extra: fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    fc.constantFrom<object>({ trace: 1 }, { _meta: {} }),
  ),
  extraParams: fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    fc.constantFrom<object>({ requestState: 'x' }, { requestState: 7 }, { inputResponses: { a: {} } }),
  ),
  form: fc.oneof({ weight: 15, arbitrary: fc.constant('one') }, fc.constantFrom('batch', 'array', 'nothing')),
});
const headers = fc.record({
  version: fc.oneof({ weight: 6, arbitrary: fc.constant(MODERN) }, fc.constantFrom(undefined, '2025-11-25')),
  method: fc.oneof({ weight: 6, arbitrary: fc.constant('same') }, fc.constantFrom(undefined, 'tools/list')),
  name: fc.oneof(
    { weight: 6, arbitrary: fc.constant('same') },
    fc.constantFrom(undefined, 'other', '=?base64?b3BlbjovL2FwcGxl?=', '=?base64?!?='),
  ),
});

type Made = {
  readonly message: Omit<FcValue<typeof message>, 'call'> & {
    readonly call: { readonly method: unknown; readonly params: Record<string, unknown> };
  };
  readonly headers: FcValue<typeof headers>;
};

function requestOf(made: Made): RawRequest {
  const { call: called, id, jsonrpc, meta, envelopeLeftOut, extra, extraParams, form } = made.message;
  const mirrored = typeof called.params.uri === 'string' ? called.params.uri : called.params.name;
  const name = made.headers.name === 'same' ? mirrored : made.headers.name;
  const method = made.headers.method === 'same' ? called.method : made.headers.method;
  const _meta = { ...envelope, ...meta };
  const params = { ...called.params, ...extraParams, ...(!envelopeLeftOut && { _meta }) };
  const whole = { jsonrpc, id, method: called.method, ...extra };
  const bodies: Readonly<Record<string, unknown>> = {
    one: { ...whole, params },
    batch: [{ ...whole, params }],
    array: { ...whole, params: [params] },
    nothing: whole,
  };
  return {
    headers: {
      ...(made.headers.version !== undefined && { 'mcp-protocol-version': made.headers.version }),
      ...(typeof method === 'string' && { 'mcp-method': method }),
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify(bodies[form]),
  };
}
type FcValue<A> = A extends fc.Arbitrary<infer T> ? T : never;

it('gives the answer that the SDK gives, byte for byte, to good requests and bad ones', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.record({ message, headers }), async (made) => {
      const request = requestOf(made);
      if (isDirect(request)) taken += 1;
      const answers = await bothAnswers(request);
      expect(answers.direct).toEqual(answers.sdk);
    }),
    { numRuns: 600 },
  );
  expect(taken).toBeGreaterThan(60);
});

it.each([
  ['resources/read', { uri: 'open://apple' }],
  ['resources/read', { uri: 'staff://apple' }],
  ['resources/read', { uri: 'open://broken' }],
  ['resources/list', {}],
  ['resources/list', { cursor: 'forged' }],
  ['tools/call', { name: 'count', arguments: { prefix: 'a' } }],
  ['tools/call', { name: 'refuse' }],
  ['tools/call', { name: 'strict' }],
  ['tools/call', { name: 'nothing' }],
])('answers %s %j directly, byte for byte as the SDK', async (method, params) => {
  const request = requestOf({
    message: {
      call: { method, params },
      id: 'a1',
      jsonrpc: '2.0',
      meta: {},
      envelopeLeftOut: false,
      extra: {},
      extraParams: {},
      form: 'one',
    },
    headers: { version: MODERN, method: 'same', name: 'same' },
  });
  const before = { ...built };
  const answers = await bothAnswers(request);

  expect(isDirect(request)).toBe(true);
  expect(built).toEqual({ direct: before.direct, sdk: before.sdk + 1 });
  expect(answers.direct).toEqual(answers.sdk);
});
