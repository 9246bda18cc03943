import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  EventReader,
  envelope,
  MODERN,
  modernRequest,
  type RawRequest,
  send,
} from './fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from './fixtures/served-notes.ts';
import type { ObservedAnswer, ObservedMessage } from './observed-message.ts';

const seen: (ObservedMessage & ObservedAnswer)[] = [];
let served: ServedNotes;

beforeAll(async () => {
  served = await serveNotes({
    async observe(message, answer) {
      seen.push({ ...message, ...(await answer()) });
    },
  });
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(() => served.stop());

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function post(message: unknown, headers: Readonly<Record<string, string>> = {}): RawRequest {
  return { body: typeof message === 'string' ? message : JSON.stringify(message), headers };
}

const bare = { uri: null, traceparent: null };

describe('whoever observes an endpoint', () => {
  it.each<[string, RawRequest, ObservedMessage & ObservedAnswer]>([
    [
      'a modern read',
      modernRequest('resources/read', { uri: 'open://apple' }),
      { method: 'resources/read', uri: 'open://apple', traceparent: null, era: 'modern', status: 200 },
    ],
    [
      'a method that the SDK answers',
      modernRequest('server/discover', {}),
      { ...bare, method: 'server/discover', era: 'modern', status: 200 },
    ],
    [
      'a legacy initialize',
      post({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'raw', version: '0' },
        },
      }),
      { ...bare, method: 'initialize', era: 'legacy', status: 200 },
    ],
    [
      'a legacy request without a session',
      post({ jsonrpc: '2.0', id: 1, method: 'resources/list' }),
      { ...bare, method: 'resources/list', era: 'legacy', status: 400 },
    ],
    ['a stream of no session', { method: 'GET' }, { ...bare, method: 'none', era: 'legacy', status: 400 }],
    ['no JSON', post('{'), { ...bare, method: 'none', era: 'none', status: 400 }],
    [
      'another media type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      { ...bare, method: 'none', era: 'none', status: 415 },
    ],
    [
      'a method that the client made up',
      post({ jsonrpc: '2.0', id: 1, method: 'open://apple', _meta: {} }),
      { ...bare, method: 'other', era: 'none', status: 400 },
    ],
    [
      'a method by a name that every object has',
      post({ jsonrpc: '2.0', id: 1, method: 'constructor', _meta: {} }),
      { ...bare, method: 'other', era: 'none', status: 400 },
    ],
  ])('is told of %s', async (_what, request, expected) => {
    await send(served.url, request);
    expect(seen).toEqual([expected]);
  });

  it('is told of the trace that params._meta names, before the one of the header', async () => {
    const params = { uri: 'open://apple', _meta: { ...envelope, traceparent: TRACEPARENT } };
    const headers = {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'resources/read',
      'mcp-name': 'open://apple',
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/read', params };
    await send(served.url, post(message, { ...headers, traceparent: 'another' }));
    await send(
      served.url,
      post({ ...message, params: { ...params, _meta: envelope } }, { ...headers, traceparent: 'another' }),
    );
    await send(
      served.url,
      post({ ...message, params: { ...params, _meta: { ...envelope, traceparent: 7 } } }, headers),
    );
    expect(seen.map(({ traceparent, status }) => [traceparent, status])).toEqual([
      [TRACEPARENT, 200],
      ['another', 200],
      [null, 200],
    ]);
  });

  it('is told of a stream when it is open', async () => {
    const notifications = { resourceSubscriptions: ['open://apple'] };
    const stream = await EventReader.open(
      served.url,
      modernRequest('subscriptions/listen', { notifications }),
    );
    await stream.next();
    expect(seen.map(({ method, era, status }) => [method, era, status])).toEqual([
      ['subscriptions/listen', 'modern', 200],
    ]);
    stream.req.destroy();
  });
});
