import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type ServedNotes, serveNotes } from './fixtures/served-notes.ts';

let served: ServedNotes;
const clients: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await served.stop();
});

const info = { name: 'test', version: '0' };
const everyone = () => true;

async function connect(mode: 'auto' | 'legacy' | { readonly pin: string }, token = 'guest') {
  const client = new Client(info, { versionNegotiation: { mode } });
  clients.push(client);
  const updates: string[] = [];
  let noticed: () => void = () => undefined;
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updates.push(params.uri);
    noticed();
  });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit: { headers } }));
  const untilUpdated = (count: number) =>
    new Promise<readonly string[]>((resolve) => {
      noticed = () => {
        if (updates.length >= count) resolve(updates);
      };
      noticed();
    });
  return { client, untilUpdated };
}

async function allPages(
  list: (cursor?: string) => Promise<{ resources: { uri: string }[]; nextCursor?: string | undefined }>,
) {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return uris;
}

describe.each([
  ['pinned to 2026-07-28', { pin: '2026-07-28' }, '2026-07-28'],
  ['choosing by itself', 'auto', '2026-07-28'],
  ['in the legacy era', 'legacy', '2025-11-25'],
] as const)('the official client %s', (_what, mode, version) => {
  it('lists every page, reads, completes, prompts and calls', async () => {
    served = await serveNotes();
    const { client } = await connect(mode);

    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()).toBe('Read notes.');
    expect(client.getServerVersion()).toEqual({ name: 'notes', title: 'Notes', version: '1.2.3' });
    const uris = await allPages((cursor) => client.listResources(cursor === undefined ? {} : { cursor }));
    expect(uris).toEqual(['open://apple', 'open://banana', 'open://cherry']);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    expect(await client.readResource({ uri: 'open://apple' })).toMatchObject({
      contents: [{ uri: 'open://apple', text: 'red', _meta: { 'notes/v': 1 } }],
    });
    expect((await client.listPrompts()).prompts).toEqual([
      { name: 'brief', arguments: [{ name: 'topic', required: true }] },
    ]);
    expect(await client.getPrompt({ name: 'brief', arguments: { topic: 'tea' } })).toMatchObject({
      messages: [{ content: { text: 'Brief me on tea' } }],
    });
    const ref = { type: 'ref/resource' as const, uri: 'open://{note}' };
    expect(await client.complete({ ref, argument: { name: 'note', value: 'b' } })).toMatchObject({
      completion: { values: ['banana'], total: 1, hasMore: false },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'count',
      'break',
      'refuse',
      'strict',
    ]);
    expect(await client.callTool({ name: 'count', arguments: { prefix: 'a' } })).toMatchObject({
      structuredContent: { count: 1 },
    });
  });
});

describe('the official client in the modern era', () => {
  it('listens, hears, and is told of the end', async () => {
    served = await serveNotes();
    const { client, untilUpdated } = await connect({ pin: '2026-07-28' });
    const subscription = await client.listen({
      resourcesListChanged: true,
      resourceSubscriptions: ['staff://apple', 'open://apple'],
    });
    expect(subscription.honoredFilter).toEqual({
      resourcesListChanged: true,
      resourceSubscriptions: ['open://apple'],
    });
    served.hub.resourceUpdated('open://apple', everyone);
    expect(await untilUpdated(1)).toEqual(['open://apple']);
    await served.endpoint.closeAll();
    expect(await subscription.closed).toBe('graceful');
  });

  it('sees a drop when its token ends', async () => {
    served = await serveNotes();
    const { client } = await connect({ pin: '2026-07-28' });
    const subscription = await client.listen({ resourceSubscriptions: ['open://apple'] });
    served.callers.guest.live = false;
    served.hub.sweep();

    expect(await subscription.closed).toBe('remote');
  });

  it('keeps two principals apart who ask at the same time', async () => {
    served = await serveNotes();
    const [staff, guest] = await Promise.all([
      connect({ pin: '2026-07-28' }, 'staff'),
      connect({ pin: '2026-07-28' }, 'guest'),
    ]);
    const reads = Array.from({ length: 40 }, async (_, n) => {
      const { client } = n % 2 === 0 ? staff : guest;
      const read = client.readResource({ uri: 'staff://apple' });
      return read.then(
        () => 'found',
        (error: { code: number }) => error.code,
      );
    });

    expect(await Promise.all(reads)).toEqual(
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 'found' : -32602)),
    );
  });
});

describe('the official client in the legacy era', () => {
  it('subscribes, hears and unsubscribes', async () => {
    served = await serveNotes();
    const { client, untilUpdated } = await connect('legacy');
    await client.subscribeResource({ uri: 'open://apple' });
    await client.subscribeResource({ uri: 'open://banana' });
    await served.sessionStream;
    served.hub.resourceUpdated('open://apple', everyone);
    expect(await untilUpdated(1)).toEqual(['open://apple']);
    await client.unsubscribeResource({ uri: 'open://apple' });
    served.hub.resourceUpdated('open://apple', everyone);
    served.hub.resourceUpdated('open://banana', everyone);
    expect(await untilUpdated(2)).toEqual(['open://apple', 'open://banana']);
    await expect(client.subscribeResource({ uri: 'staff://apple' })).rejects.toMatchObject({
      message: expect.stringContaining('Resource not found'),
    });
  });
});

describe('a client of the first SDK', () => {
  it('reads, subscribes and hears', async () => {
    served = await serveNotes();
    const client = new OldClient(info);
    clients.push(client);
    const heard = Promise.withResolvers<string>();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
      heard.resolve(params.uri),
    );
    const transport = new OldTransport(new URL(served.url), {
      requestInit: { headers: { authorization: 'Bearer guest' } },
    });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    const uris = await allPages((cursor) => client.listResources(cursor === undefined ? {} : { cursor }));
    expect(uris).toEqual(['open://apple', 'open://banana', 'open://cherry']);
    expect(await client.readResource({ uri: 'open://apple' })).toMatchObject({ contents: [{ text: 'red' }] });
    await expect(client.readResource({ uri: 'staff://apple' })).rejects.toMatchObject({ code: -32002 });
    await client.subscribeResource({ uri: 'open://apple' });
    await served.sessionStream;
    served.hub.resourceUpdated('open://apple', everyone);
    expect(await heard.promise).toBe('open://apple');
    await transport.terminateSession();
    expect(served.endpoint.sessions).toBe(0);
  });
});
