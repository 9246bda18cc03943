import { afterEach, expect, it } from 'vitest';
import { openSession } from '../fixtures/legacy-session.ts';
import { NotesApplication } from '../fixtures/notes-application.ts';
import { send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

const everyone = () => true;
const staffOnly = ({ staff }: { readonly staff: boolean }) => staff;
const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
});

// More than the buffers of a connection hold.
const LONG = Array.from({ length: 60 }, (_, n) => `open://${'y'.repeat(200_000)}${'z'.repeat(n)}`);

it('opens the stream with an event that carries nothing but an id', async () => {
  served = await serveNotes();
  const session = await openSession(served.url);
  const first = await (await session.stream()).next();
  const second = await (await session.stream({ headers: { 'last-event-id': 'whatever' } })).next();
  const older = await openSession(served.url, 'guest', '2025-06-18');

  expect(first).toMatch(/^id: [\w-]{22}\ndata: $/);
  expect(second).toMatch(/^id: [\w-]{22}\ndata: $/);
  expect(second).not.toBe(first);
  expect(await (await older.stream()).next()).toMatch(/^id: [\w-]{22}$/);
});

it('tells a session of what it subscribed to, and stops when it unsubscribes', async () => {
  served = await serveNotes();
  const session = await openSession(served.url);
  await session.call('resources/subscribe', { uri: 'open://apple' });
  const stream = await session.stream();
  await stream.next();
  await session.call('resources/subscribe', { uri: 'open://banana' });
  served.hub.resourceUpdated('open://cherry', everyone);
  served.hub.resourceUpdated('open://apple', everyone);
  served.hub.resourceUpdated('open://banana', everyone);
  expect(await stream.message()).toEqual(updated('open://apple'));
  expect(await stream.message()).toEqual(updated('open://banana'));

  await session.call('resources/unsubscribe', { uri: 'open://apple' });
  served.hub.resourceUpdated('open://apple', everyone);
  served.hub.resourceUpdated('open://banana', everyone);
  expect(await stream.message()).toEqual(updated('open://banana'));
});

it('answers an unsubscription the same whatever it names', async () => {
  served = await serveNotes();
  const session = await openSession(served.url);
  const answers = await Promise.all(
    ['open://apple', 'staff://apple', 'open://none'].map((uri) =>
      session.call('resources/unsubscribe', { uri }),
    ),
  );

  expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['{"result":{},"jsonrpc":"2.0","id":1}']));
});

it('tells of a changed list only to a session that was served one', async () => {
  served = await serveNotes();
  const [curious, other] = await Promise.all([openSession(served.url), openSession(served.url)]);
  const [toCurious, toOther] = await Promise.all([curious.stream(), other.stream()]);
  await Promise.all([toCurious.next(), toOther.next()]);
  await curious.call('resources/list');
  await other.call('resources/list', { cursor: 'forged' });
  await other.call('resources/templates/list');
  served.hub.resourceListChanged(everyone);
  served.hub.resourceListChanged(staffOnly);
  await served.endpoint.closeAll();

  expect(await toCurious.rest()).toEqual([
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}',
  ]);
  expect(await toOther.rest()).toEqual([]);
});

it('tells of what is made while the list is being read', async () => {
  const notes = new NotesApplication({ 'open://apple': 'red' });
  const { list } = notes.resources;
  const application = {
    serverInfo: notes.serverInfo,
    instructions: notes.instructions,
    resources: {
      ...notes.resources,
      async list(...question: Parameters<typeof list>) {
        const page = await list(...question);
        served.hub.resourceListChanged(everyone);
        return page;
      },
    },
  };
  served = await serveNotes({ application });
  const session = await openSession(served.url);
  const stream = await session.stream();
  await stream.next();
  await session.call('resources/list');

  expect(await stream.message()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/resources/list_changed',
  });
});

it('takes back what an older stream of the session has not read yet, when another takes its place', async () => {
  served = await serveNotes({
    hub: { bufferLimit: 2 ** 24 },
    notes: Object.fromEntries(LONG.map((uri) => [uri, 'x'])),
  });
  const session = await openSession(served.url);
  for (const uri of LONG) await session.call('resources/subscribe', { uri });
  const stalled = await session.stream();
  await stalled.next();
  stalled.res.pause();
  for (const uri of LONG) served.hub.resourceUpdated(uri, everyone);
  const next = await session.stream();
  await next.next();
  stalled.res.resume();

  expect(await stalled.over).toBe('dropped');
  expect(served.hub.counters.open).toBe(1);
});

it("hears with the rights of the stream's own token", async () => {
  served = await serveNotes();
  const session = await openSession(served.url, 'staff');
  await session.call('resources/subscribe', { uri: 'staff://apple' });
  await session.call('resources/subscribe', { uri: 'open://apple' });
  const narrow = await session.stream({ token: 'narrow' });
  await narrow.next();
  served.hub.resourceUpdated('staff://apple', staffOnly);
  served.hub.resourceUpdated('open://apple', everyone);

  expect(await narrow.message()).toEqual(updated('open://apple'));
  expect(served.hub.counters.withheld).toBe(1);
});

it('ends the stream, and keeps the session, when the token of the stream ends', async () => {
  served = await serveNotes();
  const session = await openSession(served.url, 'staff');
  await session.call('resources/subscribe', { uri: 'open://apple' });
  const stream = await session.stream({ token: 'narrow' });
  await stream.next();
  served.callers.narrow.live = false;
  served.hub.sweep();
  expect(await stream.over).toBe('ended');

  const next = await session.stream();
  await next.next();
  served.hub.resourceUpdated('open://apple', everyone);
  expect(await next.message()).toEqual(updated('open://apple'));
});

it('lets a client that lost its stream open the next at once', async () => {
  served = await serveNotes({ hub: { streamsPerOwner: 1 } });
  const session = await openSession(served.url);
  for (let round = 0; round < 3; round += 1) {
    const stream = await session.stream();
    expect(stream.res.statusCode).toBe(200);
    await stream.next();
  }

  expect(served.hub.counters.open).toBe(1);
});

it('refuses a stream above the limit', async () => {
  served = await serveNotes({ hub: { streamsPerOwner: 1 } });
  const [first, second] = await Promise.all([openSession(served.url), openSession(served.url)]);
  await (await first.stream()).next();
  const refused = await second.stream();

  expect(refused.res.statusCode).toBe(429);
});

it('limits the subscriptions of a session, in words that do not depend on the resource', async () => {
  served = await serveNotes({ limits: { urisPerStream: 1 } });
  const session = await openSession(served.url);
  await session.call('resources/subscribe', { uri: 'open://apple' });
  const bodies = await Promise.all(
    ['open://banana', 'staff://apple', 'open://none'].map(
      async (uri) => (await session.call('resources/subscribe', { uri })).body,
    ),
  );
  const again = await session.call('resources/subscribe', { uri: 'open://apple' });

  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ error: { code: -32602 } });
  expect(JSON.parse(again.body)).toMatchObject({ result: {} });
});

it('does not tell a narrower token, at the limit, what a wider one of the same owner subscribed to', async () => {
  served = await serveNotes({ limits: { urisPerStream: 1 } });
  const session = await openSession(served.url, 'staff');
  await session.call('resources/subscribe', { uri: 'staff://apple' });
  const [held, absent] = await Promise.all(
    ['staff://apple', 'staff://peach'].map(async (uri) => {
      const { body } = await session.call('resources/subscribe', { uri }, 'narrow');
      return body.replaceAll(uri, 'U');
    }),
  );

  expect(held).toBe(absent);
});

it('hides what went wrong while subscribing', async () => {
  served = await serveNotes();
  const session = await openSession(served.url);
  const { body } = await session.call('resources/subscribe', { uri: 'open://broken' });

  expect(JSON.parse(body)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Internal error' },
  });
  expect(served.faults).toHaveLength(1);
});

it.each([
  ['without a session', {}, 400],
  ['without accepting events', { accept: 'application/json' }, 406],
  ['in a revision that has no such stream', { 'mcp-protocol-version': '2026-07-28' }, 400],
])('refuses a stream %s', async (_what, headers, status) => {
  served = await serveNotes();
  const answer = await send(served.url, { method: 'GET', headers });

  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32000 } });
});

it('offers no stream where nothing can change', async () => {
  const { serverInfo, instructions, tools } = new NotesApplication({});
  served = await serveNotes({ application: { serverInfo, instructions, tools } });
  const session = await openSession(served.url);
  const answer = await send(served.url, { method: 'GET', headers: { 'mcp-session-id': session.id } });

  expect(answer.status).toBe(405);
  expect(answer.headers.allow).toBe('POST, DELETE');
  expect(JSON.parse((await session.call('tools/list')).body)).toMatchObject({
    result: { tools: [{ name: 'count' }, {}, {}, {}] },
  });
  expect(JSON.parse((await session.call('resources/list')).body)).toMatchObject({ error: { code: -32601 } });
});
