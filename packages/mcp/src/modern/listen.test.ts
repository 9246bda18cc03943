import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { EventReader, modernRequest, open, send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

const everyone = () => true;
const staffOnly = ({ staff }: { readonly staff: boolean }) => staff;

function listen(
  uris: readonly string[],
  options: { readonly token?: string; readonly id?: string | number; readonly list?: boolean } = {},
): Promise<EventReader> {
  const notifications = { resourceSubscriptions: uris, ...(options.list && { resourcesListChanged: true }) };
  return EventReader.open(served.url, modernRequest('subscriptions/listen', { notifications }, options));
}

const subscription = (id: string | number) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });

it('acknowledges only what the caller may hear, in the order asked for, once each', async () => {
  served = await serveNotes();
  const reader = await listen(
    ['open://cherry', 'staff://apple', 'open://apple', 'open://none', 'open://cherry', 'OPEN://apple'],
    { id: 'sub-1', list: true },
  );

  expect(reader.res.headers['content-type']).toBe('text/event-stream');
  expect(await reader.message()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: {
      notifications: { resourcesListChanged: true, resourceSubscriptions: ['open://cherry', 'open://apple'] },
      ...subscription('sub-1'),
    },
  });
});

it('tells of an update by its URI and nothing else', async () => {
  served = await serveNotes();
  const reader = await listen(['open://apple'], { id: 7, list: true });
  await reader.message();
  served.hub.resourceUpdated('open://banana', everyone);
  served.hub.resourceUpdated('open://apple', everyone);
  served.hub.resourceListChanged(everyone);

  expect(await reader.next()).toBe(
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":' +
      '{"uri":"open://apple","_meta":{"io.modelcontextprotocol/subscriptionId":7}}}',
  );
  expect(await reader.next()).toBe(
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":' +
      '{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}',
  );
});

it('cannot be told apart: a forbidden resource and an absent one', async () => {
  served = await serveNotes();
  const forbidden = await (await listen(['staff://apple'])).rest();
  served.application.notes.delete('staff://apple');
  const absent = await (await listen(['staff://apple'])).rest();

  expect(forbidden).toEqual(absent);
  expect(forbidden).toHaveLength(2);
});

it('ends at once, in good order, when there is nothing to hear', async () => {
  served = await serveNotes();
  const reader = await listen(['staff://apple'], { id: 'n' });

  expect(await reader.message()).toMatchObject({ params: { notifications: {} } });
  expect(await reader.message()).toEqual({
    jsonrpc: '2.0',
    id: 'n',
    result: {
      resultType: 'complete',
      _meta: {
        'io.modelcontextprotocol/subscriptionId': 'n',
        'io.modelcontextprotocol/serverInfo': { name: 'notes', title: 'Notes', version: '1.2.3' },
      },
    },
  });
  expect(await reader.over).toBe('ended');
  expect(served.hub.counters.open).toBe(0);
});

it('asks the rule again at each frame, and counts what it withholds', async () => {
  served = await serveNotes();
  const [staff, guest] = await Promise.all([
    listen(['open://apple'], { token: 'staff' }),
    listen(['open://apple']),
  ]);
  await Promise.all([staff.message(), guest.message()]);
  served.hub.resourceUpdated('open://apple', staffOnly);
  served.hub.resourceUpdated('open://apple', everyone);
  await served.endpoint.closeAll();

  expect(await staff.rest()).toHaveLength(3);
  expect(await guest.rest()).toHaveLength(2);
  expect(served.hub.counters.withheld).toBe(1);
});

it('keeps an update that is published while the subscription is being authorized', async () => {
  const { NotesApplication } = await import('../fixtures/notes-application.ts');
  const application = new NotesApplication({ 'open://apple': 'red', 'staff://apple': 'x' });
  const { mayHear } = application.resources;
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  application.resources.mayHear = async (reader, uri) => {
    asked.resolve();
    await go.promise;
    return mayHear(reader, uri);
  };
  served = await serveNotes({ application });
  const opening = listen(['staff://apple', 'open://apple']);
  await asked.promise;
  served.hub.resourceUpdated('staff://apple', everyone);
  served.hub.resourceUpdated('open://apple', everyone);
  go.resolve();
  const reader = await opening;
  await served.endpoint.closeAll();

  expect(await reader.message()).toMatchObject({
    params: { notifications: { resourceSubscriptions: ['open://apple'] } },
  });
  expect(await reader.message()).toMatchObject({ params: { uri: 'open://apple' } });
  expect(await reader.message()).toMatchObject({ result: { resultType: 'complete' } });
  expect(await reader.next()).toBeUndefined();
});

it('ends the stream when its token ends', async () => {
  served = await serveNotes();
  const reader = await listen(['open://apple']);
  await reader.message();
  served.callers.guest.live = false;
  served.hub.sweep();

  expect(await reader.rest()).toEqual([]);
  expect(served.hub.counters).toMatchObject({ open: 0, expired: 1 });
});

it('sends nothing to a caller whose token ended a moment ago', async () => {
  served = await serveNotes();
  const reader = await listen(['open://apple']);
  await reader.message();
  served.callers.guest.live = false;
  served.hub.resourceUpdated('open://apple', everyone);

  expect(await reader.rest()).toEqual([]);
});

it('notices by itself, once started, that a token has ended', async () => {
  served = await serveNotes({ hub: { sweepMs: 5 } });
  served.hub.start();
  const reader = await listen(['open://apple']);
  await reader.message();
  served.callers.guest.live = false;

  expect(await reader.over).toBe('ended');
});

it('forgets a client that disconnects', async () => {
  served = await serveNotes();
  const gone = new Promise<void>((resolve) => {
    served.http.on('request', (_req, res) => res.on('close', resolve));
  });
  const reader = await listen(['open://apple']);
  await reader.message();
  expect(served.hub.listeners('open://apple', everyone)).toBe(1);
  reader.req.destroy();
  await gone;

  expect(served.hub.counters.open).toBe(0);
  expect(served.hub.listeners('open://apple', everyone)).toBe(0);
});

it('refuses a stream above the limit in the same words, whatever was asked for', async () => {
  served = await serveNotes({ hub: { streamsPerOwner: 2 } });
  const held = await Promise.all([listen(['open://apple']), listen([], { list: true })]);
  const refusals = await Promise.all(
    ['open://apple', 'staff://apple', 'open://none'].map((uri) =>
      send(
        served.url,
        modernRequest('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }),
      ),
    ),
  );
  const another = await listen(['open://apple'], { token: 'staff' });

  expect(new Set(refusals.map(({ body }) => body)).size).toBe(1);
  expect(refusals[0]).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  expect(await another.message()).toMatchObject({ params: { notifications: {} } });
  for (const { req } of [...held, another]) req.destroy();
});

it('frees a place when a stream ends', async () => {
  served = await serveNotes({ hub: { streamsPerOwner: 1 } });
  for (let round = 0; round < 3; round += 1) {
    const reader = await listen(['staff://apple']);
    await reader.over;
  }
  const reader = await listen(['open://apple']);

  expect(await reader.message()).toMatchObject({ params: { notifications: {} } });
});

it('limits how many resources one stream may name', async () => {
  served = await serveNotes({ limits: { urisPerStream: 2 } });
  const notifications = { resourceSubscriptions: ['open://a', 'open://b', 'open://c'] };
  const { body } = await send(served.url, modernRequest('subscriptions/listen', { notifications }));

  expect(JSON.parse(body)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('at most 2') },
  });
  expect(served.hub.counters.open).toBe(0);
});

// What is out of the ordinary goes to the SDK, which has no such limit.
it.each([
  ['', {}],
  [', out of the ordinary', { extra: true }],
])('limits the id that each frame repeats%s', async (_road, extra) => {
  served = await serveNotes();
  const ask = (id: string) => {
    const filter = { notifications: { resourceSubscriptions: ['open://apple'] }, ...extra };
    return modernRequest('subscriptions/listen', filter, { id });
  };
  const longest = 'i'.repeat(1_022);
  const reader = await EventReader.open(served.url, ask(longest));
  const refused = await Promise.all(
    ['i'.repeat(1_023), 'i'.repeat(200_000), '\0'.repeat(200)].map((id) => send(served.url, ask(id))),
  );

  expect(await reader.message()).toMatchObject({
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': longest } },
  });
  expect(refused.map(({ status, body }) => [status, JSON.parse(body).error.code])).toEqual(
    refused.map(() => [400, -32600]),
  );
  expect(served.hub.counters.open).toBe(1);
});

it('hides what went wrong while authorizing', async () => {
  served = await serveNotes();
  const notifications = { resourceSubscriptions: ['open://apple', 'open://broken'] };
  const { body } = await send(served.url, modernRequest('subscriptions/listen', { notifications }));

  expect(JSON.parse(body)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Internal error' },
  });
  expect(served.faults).toEqual([expect.objectContaining({ message: expect.stringContaining('disk') })]);
  expect(served.hub.counters.open).toBe(0);
});

it('serves a subscription that is in order but out of the ordinary', async () => {
  served = await serveNotes();
  const request = modernRequest('subscriptions/listen', {
    notifications: { resourceSubscriptions: ['staff://apple', 'open://apple'] },
    extra: true,
  });
  const reader = await EventReader.open(served.url, request);

  expect(await reader.message()).toMatchObject({
    params: { notifications: { resourceSubscriptions: ['open://apple'] } },
  });
  served.hub.resourceUpdated('open://apple', everyone);
  expect(await reader.message()).toMatchObject({ params: { uri: 'open://apple' } });
});

it('ends every stream with a result at shutdown, and opens no more', async () => {
  served = await serveNotes();
  const reader = await listen(['open://apple']);
  await reader.message();
  await served.endpoint.closeAll();

  expect(await reader.message()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  expect(await reader.over).toBe('ended');
  const late = await send(
    served.url,
    modernRequest('subscriptions/listen', { notifications: { resourceSubscriptions: ['open://apple'] } }),
  );
  expect(late.status).toBe(503);
});

it('keeps a quiet stream open with comments', async () => {
  served = await serveNotes({ hub: { sweepMs: 5, keepAliveMs: 1_000 } });
  served.hub.start();
  const { res } = await open(
    served.url,
    modernRequest('subscriptions/listen', { notifications: { resourceSubscriptions: ['open://apple'] } }),
  );
  res.setEncoding('utf8');
  await once(res, 'data');
  served.clock.ms += 1_000;
  const [comment] = await once(res, 'data');

  expect(comment).toBe(': keep-alive\n\n');
});
