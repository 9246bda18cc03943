import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelope, MODERN, modernRequest, type RawRequest, send } from './fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from './fixtures/served-notes.ts';

let served: ServedNotes;
beforeAll(async () => {
  served = await serveNotes();
});
afterAll(() => served.stop());

const legacyEnvelope = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
};

function post(message: unknown, headers: Readonly<Record<string, string>> = {}): RawRequest {
  return { body: typeof message === 'string' ? message : JSON.stringify(message), headers };
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const list = { jsonrpc: '2.0', id: 1, method: 'resources/list' };

describe('which era a request belongs to', () => {
  it.each<{
    readonly what: string;
    readonly request: RawRequest;
    readonly status: number;
    readonly code: number;
  }>([
    {
      what: 'a header of 2025 with a _meta of 2026',
      request: post({ ...list, params: { _meta: envelope } }, { 'mcp-protocol-version': '2025-11-25' }),
      status: 400,
      code: -32020,
    },
    {
      what: 'a header of 2026 with a _meta of 2025',
      request: post({ ...list, params: { _meta: legacyEnvelope } }, { 'mcp-protocol-version': MODERN }),
      status: 400,
      code: -32020,
    },
    {
      what: 'a contradiction in an envelope that is also incomplete',
      request: post(
        { ...list, params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2025-06-18' } } },
        { 'mcp-protocol-version': MODERN },
      ),
      status: 400,
      code: -32020,
    },
    {
      what: 'initialize under a header of 2026',
      request: post(initialize, { 'mcp-protocol-version': MODERN }),
      status: 400,
      code: -32020,
    },
    {
      what: 'a header of 2026 without an envelope',
      request: post(list, { 'mcp-protocol-version': MODERN, 'mcp-method': 'resources/list' }),
      status: 400,
      code: -32602,
    },
    {
      what: 'a header of a revision to come, without an envelope',
      request: post(list, { 'mcp-protocol-version': '2027-03-01' }),
      status: 400,
      code: -32602,
    },
    {
      what: 'an envelope of a revision to come',
      request: post({
        ...list,
        params: { _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2027-03-01' } },
      }),
      status: 400,
      code: -32022,
    },
    {
      what: 'an envelope of a revision of 2025',
      request: post({ ...list, params: { _meta: legacyEnvelope } }),
      status: 400,
      code: -32022,
    },
    {
      what: 'an envelope without the headers that mirror it',
      request: post({ ...list, params: { _meta: envelope } }),
      status: 400,
      code: -32020,
    },
    {
      what: 'a method header that names another method',
      request: post(
        { ...list, params: { _meta: envelope } },
        { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' },
      ),
      status: 400,
      code: -32020,
    },
    { what: 'a legacy request without a session', request: post(list), status: 400, code: -32000 },
    {
      what: 'a batch with a modern element',
      request: post([{ ...list, params: { _meta: envelope } }, ping]),
      status: 400,
      code: -32600,
    },
    { what: 'an empty batch', request: post([]), status: 400, code: -32600 },
    { what: 'a message that is not JSON-RPC', request: post({ hello: 1 }), status: 400, code: -32600 },
    { what: 'a scalar', request: post('7'), status: 400, code: -32600 },
    {
      what: 'a method that does not exist',
      request: modernRequest('resources/burn', {}),
      status: 404,
      code: -32601,
    },
    {
      what: 'a legacy method in the modern era',
      request: modernRequest('resources/subscribe', { uri: 'open://apple' }),
      status: 404,
      code: -32601,
    },
  ])('answers $what with $status and $code', async ({ request, status, code }) => {
    const answer = await send(served.url, request);

    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  it('names both revisions when header and _meta contradict each other', async () => {
    const { body } = await send(
      served.url,
      post({ ...list, id: 'x7', params: { _meta: envelope } }, { 'mcp-protocol-version': '2025-11-25' }),
    );

    expect(JSON.parse(body)).toMatchObject({
      id: 'x7',
      error: { message: expect.stringContaining('2025-11-25'), data: { mismatch: { body: MODERN } } },
    });
  });

  it('takes initialize as legacy, whatever revision it asks for', async () => {
    const wish = { ...initialize, params: { ...initialize.params, protocolVersion: '2024-11-05' } };
    const { status, body } = await send(served.url, post(wish, { 'mcp-protocol-version': '2024-11-05' }));

    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  });
});

describe('what is wrong is said plainly', () => {
  it.each([
    ['nothing at all', undefined],
    ['half a message', '{"jsonrpc":"2.0",'],
    ['words', 'hello'],
  ])('says what to send instead of %s', async (_what, body) => {
    const answer = await send(served.url, {
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });

    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: expect.stringContaining('send one JSON-RPC 2.0 message') },
    });
  });

  it('refuses bytes that are not UTF-8', async () => {
    const message = JSON.stringify({ ...ping, note: 'é' });
    const answer = await send(served.url, {
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(message, 'latin1'),
    });

    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32700 } });
  });

  it('says where a _meta at the top level belongs', async () => {
    const answer = await send(served.url, post({ ...list, id: 4, _meta: envelope }));

    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      jsonrpc: '2.0',
      id: 4,
      error: { code: -32600, message: expect.stringContaining('move it into params') },
    });
  });

  it('refuses another content type', async () => {
    const answer = await send(served.url, post(ping, { 'content-type': 'text/plain' }));

    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.body)).toMatchObject({ id: null, error: { code: -32000 } });
  });

  it('names the HTTP methods there are', async () => {
    const answer = await send(served.url, { method: 'PUT' });

    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, POST, DELETE');
  });
});
