import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NotesApplication, type Reader } from '../fixtures/notes-application.ts';
import { envelope, MODERN, type RawRequest, send } from '../fixtures/raw-client.ts';
import { createListenHub } from '../hub/listen-hub.ts';
import { methodTable } from '../methods/method-table.ts';
import { modernEra } from './modern.ts';

let http: Server;
let origin: string;
/** Requests that the direct road took. */
let direct = 0;

// Two roads to one application: /direct tries the road without a server object first, /sdk always asks the SDK.
beforeAll(async () => {
  const application = new NotesApplication({
    'open://apple': 'red',
    'open://pear': 'grün',
    'staff://apple': 'x',
  });
  const onFault = () => undefined;
  const modern = modernEra<Reader>({
    application,
    methods: methodTable(application, onFault),
    hub: createListenHub({ monotonicNow: () => 0, onFault }),
    urisPerStream: 4,
    onFault,
  });
  const caller = {
    principal: { name: 'bob', staff: false },
    sub: 'bob',
    clientId: 'phone',
    isLive: () => true,
  };
  http = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const message: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (req.url === '/direct' && (await modern.tryDirectly(req, res, message, caller))) direct += 1;
    else await modern.answer(req, res, message, caller);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => http.close(resolve)));

async function bothAnswers(request: RawRequest) {
  const [left, right] = await Promise.all([
    send(`${origin}/direct`, request),
    send(`${origin}/sdk`, request),
  ]);
  const shown = ({ status, headers, body }: typeof left) => ({
    status,
    contentType: headers['content-type'],
    json: body === '' || body.startsWith('event:') ? body : JSON.parse(body),
  });
  return { direct: shown(left), sdk: shown(right) };
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
  fc.record({ method: fc.constantFrom('server/discover', 'prompts/list', 'ping'), params: fc.constant({}) }),
);
const message = fc.record({
  call,
  id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom<unknown>(1.5, null, true, undefined, -0)),
  meta: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, oddMeta),
  envelopeLeftOut: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  extra: fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.constant({ trace: 1 })),
});
const headers = fc.record({
  version: fc.oneof({ weight: 6, arbitrary: fc.constant(MODERN) }, fc.constantFrom(undefined, '2025-11-25')),
  method: fc.oneof({ weight: 6, arbitrary: fc.constant('same') }, fc.constantFrom(undefined, 'tools/list')),
  name: fc.oneof(
    { weight: 6, arbitrary: fc.constant('same') },
    fc.constantFrom(undefined, 'other', '=?base64?b3BlbjovL2FwcGxl?=', '=?base64?!?='),
  ),
});

function requestOf(made: {
  readonly message: Omit<FcValue<typeof message>, 'call'> & {
    readonly call: { readonly method: string; readonly params: Record<string, unknown> };
  };
  readonly headers: FcValue<typeof headers>;
}): RawRequest {
  const { call: called, id, meta, envelopeLeftOut, extra } = made.message;
  const { params } = called;
  const mirrored = typeof params.uri === 'string' ? params.uri : params.name;
  const name = made.headers.name === 'same' ? mirrored : made.headers.name;
  const method = made.headers.method === 'same' ? called.method : made.headers.method;
  return {
    headers: {
      ...(made.headers.version !== undefined && { 'mcp-protocol-version': made.headers.version }),
      ...(method !== undefined && { 'mcp-method': method }),
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: called.method,
      ...extra,
      params: { ...params, ...(!envelopeLeftOut && { _meta: { ...envelope, ...meta } }) },
    }),
  };
}
type FcValue<A> = A extends fc.Arbitrary<infer T> ? T : never;

it('gives the answer that the SDK gives, to good requests and bad ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ message, headers }), async (made) => {
      const answers = await bothAnswers(requestOf(made));
      expect(answers.direct).toEqual(answers.sdk);
    }),
    { numRuns: 600 },
  );
  // Otherwise the comparison would have compared the SDK with itself.
  expect(direct).toBeGreaterThan(60);
});

it.each([
  ['resources/read', { uri: 'open://apple' }],
  ['resources/read', { uri: 'staff://apple' }],
  ['resources/list', {}],
  ['tools/call', { name: 'count', arguments: { prefix: 'a' } }],
  ['tools/call', { name: 'refuse' }],
])('answers %s %j directly, byte for byte as the SDK', async (method, params) => {
  const before = direct;
  const request = requestOf({
    message: { call: { method, params }, id: 'a1', meta: {}, envelopeLeftOut: false, extra: {} },
    headers: { version: MODERN, method: 'same', name: 'same' },
  });
  const [left, right] = await Promise.all([
    send(`${origin}/direct`, request),
    send(`${origin}/sdk`, request),
  ]);

  expect(direct).toBe(before + 1);
  expect(left.body).toBe(right.body);
  expect(left.status).toBe(right.status);
});
