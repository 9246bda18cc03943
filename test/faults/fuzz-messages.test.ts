import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INTERNAL_WORDS } from '../contract/demonstration.ts';
import { ERAS } from '../harness/era-client.ts';
import { modernHeaders, modernMessage } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { ask, expectUnharmed, requestBytes, sessionOf } from './fuzz-wire.ts';

const URI = 'care://ray/wound';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const META = JSON.stringify((modernMessage('x', {}) as { params: { _meta: object } }).params._meta);

const data = temporaryFolder();
let server: RunningServer;
let token: string;
let session: string;

beforeAll(async () => {
  server = await startServer(data);
  token = await server.mint('care.read.user');
  session = await sessionOf(server.url, token);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

/** How a message was answered. */
interface Reply {
  readonly status: number;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Sends a message as text: JSON that no serializer would write is sent too. */
async function reply(
  era: (typeof ERAS)[number],
  method: string,
  message: string,
  name = URI,
): Promise<Reply> {
  const ofEra =
    era === 'modern'
      ? modernHeaders(token, method, name)
      : {
          authorization: `Bearer ${token}`,
          'mcp-session-id': session,
          'mcp-protocol-version': '2025-11-25',
        };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...ofEra,
  };
  const { status, body } = await ask(server.url, requestBytes('POST /mcp HTTP/1.1', headers, message));
  for (const word of INTERNAL_WORDS) expect(body).not.toContain(word);
  const answer = JSON.parse(body) as Reply & { params?: { _meta: Readonly<Record<string, unknown>> } };
  const { params } = answer;
  // A stream names the request that opened it in each of its frames.
  if (params !== undefined) return { status, id: params._meta[SUBSCRIPTION] };
  return { ...answer, status };
}

describe.each(ERAS)('in the %s era', (era) => {
  /** A read of a fact with the id, as the text that is given. */
  const read = (id: string): string => {
    const meta = era === 'modern' ? META : '{}';
    return `{"jsonrpc":"2.0","id":${id},"method":"resources/read","params":{"uri":"${URI}","_meta":${meta}}}`;
  };

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551617',
    '1e22',
    '1e400',
    '-1e400',
    '{"id":1}',
    '[1]',
    '[[1]]',
    'true',
    'null',
    '{}',
  ])('the id %s is refused, and none is made of it', async (id) => {
    const { status, ...answer } = await reply(era, 'resources/read', read(id));
    expect([id, status, answer.id, answer.error?.code]).toEqual([id, 400, null, -32600]);
  });

  it.each([
    '0',
    '-1',
    '9007199254740991',
    '-9007199254740991',
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"__proto__"',
  ])('the id %s comes back as it was', async (id) => {
    const { status, ...answer } = await reply(era, 'resources/read', read(id));
    expect([id, status, answer.id]).toEqual([id, 200, JSON.parse(id)]);
    expect(answer).toHaveProperty('result');
  });

  it('an id of 1 KiB comes back, and one of a megabyte or a little more than 1 KiB is refused', async () => {
    const longest = 'i'.repeat(1_022);
    expect(await reply(era, 'resources/read', read(JSON.stringify(longest)))).toMatchObject({ id: longest });
    for (const length of [1_023, 200_000]) {
      const id = 'i'.repeat(length);
      const { status, error } = await reply(era, 'resources/read', read(JSON.stringify(id)));
      expect([length, status, error?.code]).toEqual([length, 400, -32600]);
    }
    const huge = JSON.stringify('i'.repeat(1_000_000));
    expect((await reply(era, 'resources/read', read(huge))).status).toBe(413);
  });

  it('the last of two equal keys is the one that holds, wherever they stand, and its rights are the token’s', async () => {
    const forbidden = 'care-internal://ray/risk';
    const twice = [
      [read('1').replace('"id":1', '"id":"first","id":2'), 2, 'result'],
      [read('3').replace('"params":{', `"params":{"uri":"${forbidden}","x":1,`), 3, 'result'],
      [read('4').replace(`"uri":"${URI}"`, `"uri":"${URI}","uri":"${forbidden}"`), 4, 'error'],
      [read('5').replace('"method":', '"method":"initialize","method":'), 5, 'result'],
    ] as const;
    for (const [message, id, kind] of twice) {
      const answer = await reply(era, 'resources/read', message);
      expect([id, answer.id, Object.keys(answer)]).toEqual([id, id, expect.arrayContaining([kind])]);
      expect(answer.status).toBeLessThan(500);
    }
  });

  it('no message of odd parts is a fault, and each answer has the id of its request', async () => {
    const raw = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.double().map((number) => (Number.isFinite(number) ? String(number) : '1e999')),
      fc.bigInt().map(String),
      fc.integer({ min: 1, max: 9_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
      fc.integer({ min: 1, max: 9_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
      fc.constantFrom('"2026-07-28"', '"care://ray/wound"', '"__proto__"', '""', '{}', '[]', 'null'),
    );
    const id = fc.oneof(
      fc.integer().map(String),
      fc.string({ maxLength: 40, unit: 'binary' }).map((text) => JSON.stringify(text)),
    );
    const method = fc.constantFrom(
      ...['resources/read', 'resources/list', 'tools/call', 'prompts/get', 'completion/complete', 'ping'],
      ...['subscriptions/listen', 'events/poll', 'resources/subscribe', 'server/discover', 'constructor'],
    );
    const key = fc.constantFrom(
      ...['uri', 'name', 'arguments', 'cursor', 'notifications', 'ref', 'argument', '__proto__', '_meta'],
      ...['io.modelcontextprotocol/protocolVersion', 'progressToken', 'params', 'id'],
    );
    const part = fc.tuple(key, raw).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    await fc.assert(
      fc.asyncProperty(
        id,
        method,
        fc.array(part, { maxLength: 4 }),
        fc.array(part, { maxLength: 2 }),
        fc.boolean(),
        async (sent, named, params, meta, isWhole) => {
          const envelope = isWhole && era === 'modern' ? META.slice(1, -1) : '"x":1';
          const inMeta = `"_meta":{${[...meta, envelope].join(',')}}`;
          const message = `{"jsonrpc":"2.0","id":${sent},"method":"${named}","params":{${[...params, inMeta].join(',')}}}`;
          const answer = await reply(era, named, message);
          expect(answer.status).toBeLessThan(500);
          expect(answer.error?.code).not.toBe(-32603);
          expect([null, JSON.parse(sent)]).toContainEqual(answer.id);
          if (answer.result !== undefined) expect(answer.id).toEqual(JSON.parse(sent));
        },
      ),
      { numRuns: 250 },
    );
  });
});

it.each(['image/png', '', '*/*', 'application/json;q=0'])(
  'Accept says nothing in the newer era, where each answer has one form',
  async (accept) => {
    const headers = {
      ...modernHeaders(token, 'resources/read', URI),
      'content-type': 'application/json',
      accept,
    };
    const message = JSON.stringify(modernMessage('resources/read', { uri: URI }));
    const answer = await ask(server.url, requestBytes('POST /mcp HTTP/1.1', headers, message));
    expect([accept, answer.status, answer.headers.get('content-type')]).toEqual([
      accept,
      200,
      'application/json',
    ]);
  },
);

it('none of it has harmed the server', () => expectUnharmed(server));
