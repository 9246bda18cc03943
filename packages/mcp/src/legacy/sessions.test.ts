import { afterEach, expect, it } from 'vitest';
import { initializeMessage, openSession } from '../fixtures/legacy-session.ts';
import { type RawAnswer, send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

const seen = ({ status, headers: { date: _date, ...headers }, body }: RawAnswer) => ({
  status,
  headers,
  body,
});

it.each(['2025-11-25', '2025-06-18', '2025-03-26'])('opens a session in %s', async (version) => {
  served = await serveNotes();
  const answer = await send(served.url, { body: initializeMessage(version) });

  expect(answer.status).toBe(200);
  expect(answer.headers['mcp-session-id']).toMatch(/^[\w-]{32}$/);
  expect(JSON.parse(answer.body)).toEqual({
    jsonrpc: '2.0',
    id: 0,
    result: {
      protocolVersion: version,
      capabilities: {
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        tools: {},
        completions: {},
      },
      serverInfo: { name: 'notes', title: 'Notes', version: '1.2.3' },
      instructions: 'Read notes.',
    },
  });
});

it('answers a forbidden resource like an absent one, with the code of its era', async () => {
  served = await serveNotes();
  const session = await openSession(served.url);
  const forbidden = await session.call('resources/read', { uri: 'staff://apple' });
  const forbiddenToHear = await session.call('resources/subscribe', { uri: 'staff://apple' });
  served.application.notes.delete('staff://apple');
  const absent = await session.call('resources/read', { uri: 'staff://apple' });
  const absentToHear = await session.call('resources/subscribe', { uri: 'staff://apple' });

  expect(seen(forbidden)).toEqual(seen(absent));
  expect(seen(forbiddenToHear)).toEqual(seen(absentToHear));
  expect(forbiddenToHear.body).toBe(forbidden.body);
  expect(JSON.parse(forbidden.body)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32002, message: 'Resource not found: staff://apple', data: { uri: 'staff://apple' } },
  });
});

it('keeps the other codes as they are', async () => {
  served = await serveNotes();
  const session = await openSession(served.url);
  const cursor = await session.call('resources/list', { cursor: 'forged' });
  const unknown = await session.call('logging/setLevel', { level: 'info' });

  expect(JSON.parse(cursor.body)).toMatchObject({ error: { code: -32602 } });
  expect(JSON.parse(unknown.body)).toMatchObject({ error: { code: -32601 } });
});

it("answers another principal's session like one that never was", async () => {
  served = await serveNotes();
  const staff = await openSession(served.url, 'staff');
  const never = { headers: { 'mcp-session-id': 'x'.repeat(32) } };
  const theirs = { headers: { 'mcp-session-id': staff.id } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list' });

  for (const request of [{ method: 'GET' }, { method: 'DELETE' }, { body }]) {
    const absent = await send(served.url, { ...never, ...request });
    const foreign = await send(served.url, { ...theirs, ...request });
    expect(foreign.status).toBe(404);
    expect(seen(foreign)).toEqual(seen(absent));
  }
  expect((await staff.call('resources/list')).status).toBe(200);
});

it('gives each request the rights of its own token', async () => {
  served = await serveNotes();
  const session = await openSession(served.url, 'staff');
  const bodies = await Promise.all(
    ['staff', 'narrow', 'staff', 'narrow', 'narrow', 'staff'].map(async (token) => {
      const { body } = await session.call('resources/read', { uri: 'staff://apple' }, token);
      return [token, body.includes('bad farm')];
    }),
  );

  expect(bodies).toEqual([
    ['staff', true],
    ['narrow', false],
    ['staff', true],
    ['narrow', false],
    ['narrow', false],
    ['staff', true],
  ]);
});

it('does without a version header, and refuses one that it does not know', async () => {
  served = await serveNotes();
  const { id, call } = await openSession(served.url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const old = await send(served.url, {
    headers: { 'mcp-session-id': id, 'mcp-protocol-version': '2024-11-05' },
    body,
  });

  expect((await call('ping')).status).toBe(200);
  expect(old.status).toBe(400);
  expect(old.body).toContain('2025-11-25, 2025-06-18, 2025-03-26');
});

it('answers a batch, which 2025-03-26 allowed', async () => {
  served = await serveNotes();
  const { id } = await openSession(served.url, 'guest', '2025-03-26');
  const { body } = await send(served.url, {
    headers: { 'mcp-session-id': id },
    body: JSON.stringify([
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', id: 'b', method: 'resources/read', params: { uri: 'open://apple' } },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]),
  });

  expect(JSON.parse(body)).toMatchObject([
    { id: 'a', result: {} },
    { id: 'b', result: { contents: [{ text: 'red' }] } },
  ]);
});

it('answers a batch that cancels a request of its own', async () => {
  served = await serveNotes();
  const { id } = await openSession(served.url, 'guest', '2025-03-26');
  const { body } = await send(served.url, {
    headers: { 'mcp-session-id': id },
    body: JSON.stringify([
      { jsonrpc: '2.0', id: 'a', method: 'resources/read', params: { uri: 'open://apple' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } },
    ]),
  });

  expect(JSON.parse(body)).toMatchObject({ id: 'a', result: { contents: [{ text: 'red' }] } });
});

it('ends a session when asked to', async () => {
  served = await serveNotes();
  const session = await openSession(served.url);
  const stream = await session.stream();
  const ended = await session.end();

  expect(ended.status).toBe(200);
  expect(await stream.over).toBe('ended');
  expect((await session.call('ping')).status).toBe(404);
  expect(served.endpoint.sessions).toBe(0);
});

it('forgets a session that nobody uses, unless its stream is open', async () => {
  served = await serveNotes({ limits: { sessionIdleMs: 1_000 } });
  const quiet = await openSession(served.url);
  const listening = await openSession(served.url);
  const stream = await listening.stream();
  await stream.next();
  served.clock.ms += 1_001;

  expect((await quiet.call('ping')).status).toBe(404);
  expect((await listening.call('ping')).status).toBe(200);
});

it('takes a client back that lost a stream which it held for long', async () => {
  served = await serveNotes({ limits: { sessionIdleMs: 1_000 } });
  const session = await openSession(served.url);
  const stream = await session.stream();
  await stream.next();
  served.clock.ms += 5_000;
  await served.hub.close();
  await stream.over;
  served.clock.ms += 900;
  expect((await session.call('ping')).status).toBe(200);

  served.clock.ms += 1_001;
  expect((await session.call('ping')).status).toBe(404);
});

it('lets the least recently used session of the same owner give way', async () => {
  served = await serveNotes({ limits: { sessionsPerOwner: 2 } });
  const theirs = await openSession(served.url, 'staff');
  const first = await openSession(served.url);
  const second = await openSession(served.url);
  served.clock.ms += 1;
  await first.call('ping');
  const third = await openSession(served.url);

  expect((await second.call('ping')).status).toBe(404);
  for (const session of [first, third, theirs]) expect((await session.call('ping')).status).toBe(200);
});

it('refuses a session when all that could give way are in use', async () => {
  served = await serveNotes({ limits: { sessionsPerOwner: 1 } });
  const session = await openSession(served.url);
  await (await session.stream()).next();
  const refused = await send(served.url, { body: initializeMessage() });

  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  expect(refused.headers['mcp-session-id']).toBeUndefined();
});

it('gives way across owners only at the total limit, and only the owner with more', async () => {
  served = await serveNotes({ limits: { sessions: 3 } });
  const oldest = await openSession(served.url, 'staff');
  const [first, second] = [await openSession(served.url), await openSession(served.url)];
  const third = await openSession(served.url);
  const added = await openSession(served.url, 'staff');

  expect(served.endpoint.sessions).toBe(3);
  for (const session of [oldest, third, added]) expect((await session.call('ping')).status).toBe(200);
  for (const session of [first, second]) expect((await session.call('ping')).status).toBe(404);
});

it('gives out ids that depend on the owner and on nothing that others do', async () => {
  served = await serveNotes();
  const alone = await openSession(served.url);
  await served.stop();
  served = await serveNotes();
  await openSession(served.url, 'staff');
  const inCompany = await openSession(served.url);

  expect(inCompany.id).toBe(alone.id);
});
