import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';

const URI = 'care://ray/misfiled';
const MISFILED = 'Take 5 milligrams of a medicine that is another person’s.';
const data = temporaryFolder();
let server: RunningServer;
let token: string;

beforeAll(async () => {
  server = await startServer(data);
  token = await server.mint('care.read.user');
  expect((await send(server.url, signed(writeBody(URI, MISFILED)))).status).toBe(201);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

const withdrawal = (more: object = {}) =>
  JSON.stringify({ uri: URI, withdraw: true, authorId: 'ward', ...more });

describe('POST /write with withdraw', () => {
  it.each([
    ['beside a value', { value: 'x' }],
    ['with a review date', { staleAfter: '2030-01-01T00:00:00Z' }],
    ['that is not true', { withdraw: false }],
    ['that is a word', { withdraw: 'yes' }],
  ])('is malformed %s', async (_how, more) => {
    const answer = await send(server.url, signed(withdrawal(more)));
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'malformed']);
  });

  it('is not found where there is nothing to take back', async () => {
    const answer = await send(server.url, signed(withdrawal({ uri: 'care://ray/never-said' })));
    expect(answer.status).toBe(404);
  });

  it('takes the fact back: listed, without words, its versions absent, its chain intact', async () => {
    expect((await send(server.url, signed(withdrawal({ authorLabel: 'the ward' })))).status).toBe(201);
    const { contents } = (await read(URI)).result as {
      contents: { text: string; _meta: Record<string, unknown> }[];
    };
    expect(contents[0]?.text).toMatch(/^\[WITHDRAWN — .*by the ward/);
    expect(contents[0]?._meta['unsay/kind']).toBe('withdraw');
    expect(contents[0]?._meta['unsay/retraction']).toMatch(
      /^Stop\..*Nothing replaces it yet\. Ask the ward\.$/,
    );
    expect(JSON.stringify(contents)).not.toContain('another person');
    expect((await read(`${URI}/v1`)).error).toMatchObject({ code: -32602 });
    const { chains } = (await (await fetch(`${server.url}/verify?topic=misfiled`)).json()) as {
      chains: object[];
    };
    expect(chains).toMatchObject([{ versions: [{ kind: 'create' }, { kind: 'withdraw' }], intact: true }]);
  });

  it('is what whats_changed says of it, without the old words', async () => {
    const { result } = await call('tools/call', 'whats_changed', { name: 'whats_changed', arguments: {} });
    const { changes } = (result as { structuredContent: { changes: { uri: string }[] } }).structuredContent;
    expect(changes.filter(({ uri }) => uri === URI)).toMatchObject([
      { version: 2, kind: 'withdraw', value: null, previousVersion: 1, previousValue: null },
    ]);
    expect(JSON.stringify(result)).not.toContain('another person');
  });
});

interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

function read(uri: string): Promise<Answer> {
  return call('resources/read', uri, { uri });
}

async function call(method: string, name: string, params: object): Promise<Answer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': name,
    },
  });
  return (await answer.json()) as Answer;
}
