import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bells, type Ring, withBells } from '../../fixtures/bells.ts';
import { EventReader, modernRequest, open, type RawRequest, send } from '../../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../../fixtures/served-notes.ts';

let bells: Bells;
let served: ServedNotes;

beforeEach(() => {
  bells = new Bells();
});
afterEach(() => served.stop());

const everyone = (): boolean => true;
const staffOnly = ({ staff }: { readonly staff: boolean }): boolean => staff;

async function serve(
  options: Omit<Parameters<typeof serveNotes>[0] & object, 'application'> = {},
): Promise<void> {
  served = await serveNotes({ application: withBells(bells), ...options });
}

function request(
  params: Readonly<Record<string, unknown>> = {},
  { token = 'guest', id = 1 as string | number, method = 'events/stream' } = {},
): RawRequest {
  const asked = modernRequest(method, { name: 'ring', ...params }, { token, id });
  const { 'mcp-name': _name, ...headers } = asked.headers ?? {};
  return { ...asked, headers };
}

const listen = (...asked: Parameters<typeof request>): Promise<EventReader> =>
  EventReader.open(served.url, request(...asked));

function ring(text: string, place: Ring['place'] = 'hall'): void {
  bells.rings.push({ text, place });
  served.hub.historyGrew(place === 'hall' ? everyone : staffOnly);
}

interface Frame {
  readonly method: string;
  readonly params: { readonly cursor: string; readonly data?: { readonly text: string } };
}

const frame = async (reader: EventReader): Promise<Frame> => (await reader.message()) as Frame;

async function texts(reader: EventReader, count: number): Promise<unknown[]> {
  const heard: unknown[] = [];
  while (heard.length < count) heard.push((await frame(reader)).params.data?.text);
  return heard;
}

it('confirms the subscription first and then tells of what happens, each with the cursor after it', async () => {
  await serve();
  const reader = await listen({}, { id: 'bell' });
  const meta = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'bell' } };
  expect(reader.res.headers['content-type']).toBe('text/event-stream');
  expect(await reader.next()).toBe(
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/events/active","params":' +
      '{"cursor":"0","truncated":false,"_meta":{"io.modelcontextprotocol/subscriptionId":"bell"}}}',
  );
  ring('one');
  expect(await reader.message()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/events/event',
    params: {
      eventId: 'ring-0',
      name: 'ring',
      timestamp: '2026-12-01T09:00:00.000Z',
      data: { text: 'one' },
      cursor: '1',
      ...meta,
    },
  });
  await served.endpoint.closeAll();
  expect(await reader.message()).toMatchObject({ id: 'bell', result: { resultType: 'complete', ...meta } });
  expect(await reader.over).toBe('ended');
});

it('goes on from the cursor of a client that comes back', async () => {
  await serve();
  for (const text of ['one', 'two', 'three']) ring(text);
  const reader = await listen({ cursor: '1' });
  expect((await frame(reader)).params).toMatchObject({ cursor: '1', truncated: false });
  expect(await texts(reader, 2)).toEqual(['two', 'three']);
  ring('four');
  expect(await texts(reader, 1)).toEqual(['four']);
});

it('loses nothing that happens while it opens', async () => {
  await serve();
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  bells.beforeAnswer = () => {
    asked.resolve();
    return go.promise;
  };
  const opening = listen();
  await asked.promise;
  ring('meanwhile');
  go.resolve();
  const reader = await opening;
  expect((await frame(reader)).params.cursor).toBe('0');
  expect(await texts(reader, 1)).toEqual(['meanwhile']);
});

it('loses nothing that happens while it reads, and says nothing twice', async () => {
  await serve();
  const reader = await listen();
  await frame(reader);
  let rungMeanwhile = 0;
  bells.beforeAnswer = async () => {
    if (rungMeanwhile === 3) return;
    rungMeanwhile += 1;
    ring(`meanwhile ${rungMeanwhile}`);
  };
  ring('one');
  expect(await texts(reader, 4)).toEqual(['one', 'meanwhile 1', 'meanwhile 2', 'meanwhile 3']);
  await served.endpoint.closeAll();
  expect(await reader.rest()).toHaveLength(1);
});

it('does not even look when what happened is not for its reader', async () => {
  await serve();
  const [guest, staff] = await Promise.all([listen(), listen({}, { token: 'staff' })]);
  await Promise.all([frame(guest), frame(staff)]);
  ring('in the hall');
  expect([await texts(guest, 1), await texts(staff, 1)]).toEqual([['in the hall'], ['in the hall']]);
  const looks = bells.given.length;
  ring('in the yard', 'yard');
  expect(await texts(staff, 1)).toEqual(['in the yard']);
  expect(bells.given.length).toBe(looks + 1);
});

it('looks for each reader whose rule holds, however many changes were told of at once', async () => {
  await serve({ hub: { sliceSize: 1 } });
  const readers = await Promise.all([listen({}, { token: 'staff' }), listen(), listen()]);
  await Promise.all(readers.map(frame));
  // The fan-out is busy with what is for nobody when the others come, so they wait and are merged.
  served.hub.historyGrew(() => false);
  ring('one');
  ring('two', 'yard');
  const [staff, ...guests] = readers as [EventReader, EventReader, EventReader];
  expect(await texts(staff, 2)).toEqual(['one', 'two']);
  for (const guest of guests) expect(await texts(guest, 1)).toEqual(['one']);
});

it('keeps nothing for a slow reader and loses nothing of what it has to tell it', async () => {
  await serve({ limits: { replay: 1_000 } });
  const { res } = await open(served.url, request());
  const long = 'x'.repeat(200_000);
  const all = Array.from({ length: 200 }, (_none, index) => `${index} ${long}`);
  for (const text of all) ring(text);
  // Nobody reads: the stream goes on until the machine takes no more, and then stands still.
  for (let quiet = 0, sent = -1; quiet < 20; quiet += 1) {
    if (served.hub.counters.sent !== sent) quiet = 0;
    sent = served.hub.counters.sent;
    await turn();
  }
  expect(served.hub.counters.sent).toBeLessThan(all.length);
  expect(Math.max(...bells.given)).toBeLessThanOrEqual(64);
  let text = '';
  res.setEncoding('utf8');
  res.on('data', (chunk: string) => {
    text += chunk.replaceAll('x', '');
  });
  const last = new Promise<void>((resolve) => {
    res.on('data', () => text.includes('"ring-199"') && resolve());
  });
  await last;
  expect([...text.matchAll(/"eventId":"ring-(\d+)"/g)].map(([, index]) => Number(index))).toEqual(
    all.map((_text, index) => index),
  );
});

it('says a gap to a reader that fell too far behind, and goes on from now', async () => {
  await serve({ limits: { replay: 3 } });
  const reader = await listen();
  await frame(reader);
  const go = Promise.withResolvers<void>();
  bells.beforeAnswer = () => go.promise;
  ring('one');
  for (const text of ['two', 'three', 'four', 'five', 'six']) ring(text);
  go.resolve();
  expect(await texts(reader, 1)).toEqual(['one']);
  expect(await frame(reader)).toMatchObject({
    method: 'notifications/events/active',
    params: { cursor: '6', truncated: true },
  });
  ring('seven');
  expect(await texts(reader, 1)).toEqual(['seven']);
});

it('says to a client that comes back too late that there is a gap', async () => {
  await serve({ limits: { replay: 1 } });
  for (const text of ['one', 'two']) ring(text);
  const reader = await listen({ cursor: '0' });
  expect((await frame(reader)).params).toMatchObject({ cursor: '2', truncated: true });
  ring('three');
  expect(await texts(reader, 1)).toEqual(['three']);
});

it('shows that it is alive with the cursor that it stands at', async () => {
  await serve({ hub: { sweepMs: 5, keepAliveMs: 1_000 } });
  served.hub.start();
  const reader = await listen({ arguments: { place: 'yard' } }, { token: 'staff', id: 9 });
  await frame(reader);
  const looked = new Promise<void>((resolve) => {
    bells.beforeAnswer = async () => resolve();
  });
  ring('elsewhere');
  await looked;
  await turn();
  served.clock.ms += 1_000;
  expect(await frame(reader)).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/events/heartbeat',
    params: { cursor: '1', _meta: { 'io.modelcontextprotocol/subscriptionId': 9 } },
  });
});

it('tells that it is terminated when its token has ended, and nothing more', async () => {
  await serve();
  const reader = await listen();
  await frame(reader);
  served.callers.guest.live = false;
  ring('too late');
  expect(await reader.message()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/events/terminated',
    params: {
      error: { code: -32024, message: 'Forbidden', data: { reason: 'Access ended' } },
      _meta: { 'io.modelcontextprotocol/subscriptionId': 1 },
    },
  });
  expect(await reader.message()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  expect(await reader.rest()).toEqual([]);
  expect(served.hub.counters).toMatchObject({ open: 0, expired: 1 });
});

it('says that a look failed, hides why, and looks again at the next sign of life', async () => {
  await serve({ hub: { sweepMs: 5, keepAliveMs: 1_000 } });
  served.hub.start();
  const reader = await listen();
  await frame(reader);
  bells.beforeAnswer = async () => {
    throw new Error('disk /secret/path is full');
  };
  ring('one');
  expect(await reader.message()).toMatchObject({
    method: 'notifications/events/error',
    params: { error: { code: -32603, message: 'Internal error' } },
  });
  bells.beforeAnswer = async () => undefined;
  served.clock.ms += 1_000;
  expect((await frame(reader)).method).toBe('notifications/events/heartbeat');
  expect(await texts(reader, 1)).toEqual(['one']);
  expect(served.faults).toEqual([expect.objectContaining({ message: expect.stringContaining('disk') })]);
});

it('is not opened where the first look fails, and says no more than that', async () => {
  await serve();
  bells.beforeAnswer = async () => {
    throw new Error('disk /secret/path is full');
  };
  const { body } = await send(served.url, request());
  expect(JSON.parse(body)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Internal error' },
  });
  expect(served.hub.counters.open).toBe(0);
});

it.each([
  ['a cursor of nobody', { cursor: 'forged' }, -32602],
  ['what cannot be followed', { arguments: { place: 'everywhere' } }, -32602],
  ['arguments of another form', { arguments: { place: 7 } }, -32602],
  ['a type that is none', { name: 'toll' }, -32023],
])('is refused with an error and without a stream for %s', async (_what, params, code) => {
  await serve();
  for (const method of ['events/stream', 'events/poll']) {
    const { status, headers, body } = await send(served.url, request(params, { method }));
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code } });
  }
  expect(served.hub.counters.open).toBe(0);
});

it('counts among the streams of its principal', async () => {
  await serve({ hub: { streamsPerOwner: 1 } });
  const reader = await listen();
  await frame(reader);
  expect((await send(served.url, request())).status).toBe(429);
  reader.req.destroy();
});

it('is not there for an application to which nothing happens', async () => {
  served = await serveNotes();
  for (const method of ['events/list', 'events/poll', 'events/stream']) {
    const { status, body } = await send(served.url, request({}, { method }));
    expect([status, JSON.parse(body).error.code]).toEqual([404, -32601]);
  }
});

it('is held to the headers that the revision asks for', async () => {
  await serve();
  const asked = request();
  const headers = { ...asked.headers, 'mcp-method': 'events/poll' };
  const { status, body } = await send(served.url, { ...asked, headers });
  expect([status, JSON.parse(body).error.code]).toEqual([400, -32020]);
});

it('polls from cursor to cursor', async () => {
  await serve();
  for (const text of ['one', 'two', 'three']) ring(text);
  const poll = async (params: object): Promise<unknown> =>
    JSON.parse((await send(served.url, request({ ...params }, { method: 'events/poll' }))).body).result;
  const occurrence = (index: number, text: string): object => ({
    eventId: `ring-${index}`,
    name: 'ring',
    timestamp: '2026-12-01T09:00:00.000Z',
    data: { text },
  });
  const rest = { truncated: false, nextPollMs: 5_000, resultType: 'complete' };
  expect(await poll({})).toMatchObject({ events: [], cursor: '3', hasMore: false, ...rest });
  expect(await poll({ cursor: '0', maxEvents: 2 })).toMatchObject({
    events: [occurrence(0, 'one'), occurrence(1, 'two')],
    cursor: '2',
    hasMore: true,
    ...rest,
  });
  expect(await poll({ cursor: '2' })).toMatchObject({
    events: [occurrence(2, 'three')],
    cursor: '3',
    ...rest,
  });
});
