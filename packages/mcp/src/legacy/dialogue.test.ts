import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AskingApplication } from '../fixtures/asking-application.ts';
import { type LegacySession, openSession } from '../fixtures/legacy-session.ts';
import { EventReader, send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import type { JsonObject } from '../json.ts';
import type { StoredSession } from '../session-repository.ts';

let served: ServedNotes;
let application: AskingApplication;
beforeEach(async () => {
  application = new AskingApplication();
  served = await serveNotes({ application });
});
afterEach(() => served.stop());

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
}

const info = { name: 'test', version: '0' };
const capabilities = { elicitation: {} };
const requestInit = { headers: { authorization: 'Bearer guest' } };
const accepted = (name: string) => ({ action: 'accept' as const, content: { name } });

const open = (token = 'guest') => openSession(served.url, token, undefined, capabilities);

async function post(session: LegacySession, message: object, token = 'guest') {
  const headers = { 'mcp-session-id': session.id };
  return send(served.url, { token, headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}

async function call(session: LegacySession, id: string | number, params: object): Promise<EventReader> {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  return EventReader.open(served.url, { headers: { 'mcp-session-id': session.id }, body });
}

async function next(stream: EventReader): Promise<Message> {
  return (await stream.message()) as Message;
}

it('asks the official client while its call is open', async () => {
  const client = new Client(info, { capabilities, versionNegotiation: { mode: 'legacy' } });
  client.setRequestHandler('elicitation/create', async () => accepted('Eve'));
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
  const tool = await client.callTool({ name: 'greet', arguments: { word: 'Hi' } });
  const prompt = await client.getPrompt({ name: 'interview' });
  await client.close();

  expect(tool.content).toMatchObject([{ text: '{"word":"Hi","by":"bob"} Eve' }]);
  expect(prompt.messages).toMatchObject([{ content: { text: 'Interview Eve' } }]);
});

it('asks the client of the maintenance line', async () => {
  const client = new OldClient(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, async () => accepted('Eve'));
  await client.connect(new OldTransport(new URL(served.url), { requestInit }));
  const { content } = await client.callTool({ name: 'greet', arguments: {} });
  await client.close();

  expect(content).toMatchObject([{ text: '{"word":"Hello","by":"bob"} Eve' }]);
});

it('gives each of two open calls its own answer', async () => {
  const session = await open();
  const first = await call(session, 'a', { name: 'greet', arguments: { word: 'one' } });
  const second = await call(session, 'b', { name: 'greet', arguments: { word: 'two' } });
  const questions = [await next(first), await next(second)];
  expect(questions).toMatchObject([{ method: 'elicitation/create' }, { method: 'elicitation/create' }]);
  expect(questions[0]?.id).not.toBe(questions[1]?.id);

  expect((await post(session, { id: questions[1]?.id, result: accepted('Bea') })).status).toBe(202);
  expect((await post(session, { id: questions[0]?.id, result: accepted('Ann') })).status).toBe(202);

  expect(await next(second)).toMatchObject({
    id: 'b',
    result: { content: [{ text: expect.stringMatching(/two.*Bea/) }] },
  });
  expect(await next(first)).toMatchObject({
    id: 'a',
    result: { content: [{ text: expect.stringMatching(/one.*Ann/) }] },
  });
  expect(await first.over).toBe('ended');
});

it('takes no answer from another session, and none twice', async () => {
  const session = await open();
  const other = await open('staff');
  const stream = await call(session, 1, { name: 'greet' });
  const { id } = await next(stream);
  await post(other, { id, result: accepted('Mallory') }, 'staff');
  await post(session, { id, result: accepted('Eve') });
  const again = await post(session, { id, result: accepted('Late') });

  expect(again.status).toBe(202);
  expect(await next(stream)).toMatchObject({
    result: { content: [{ text: expect.stringContaining('Eve') }] },
  });
});

it('asks nothing of a client that did not say it can be asked', async () => {
  const session = await openSession(served.url);
  const stream = await call(session, 1, { name: 'greet' });

  expect(await next(stream)).toMatchObject({
    id: 1,
    result: { isError: true, content: [{ text: expect.stringContaining('capability') }] },
  });
});

it('ends a call that the client does not want any more', async () => {
  const session = await open();
  const stream = await call(session, 'w', { name: 'wait', _meta: { progressToken: 1 } });
  await next(stream);
  const other = await call(session, 'g', { name: 'greet' });
  const { id } = await next(other);
  await post(session, { method: 'notifications/cancelled', params: { requestId: 'w' } });
  await application.abandoned;

  expect(await stream.over).toBe('ended');
  await post(session, { id, result: accepted('Eve') });
  expect(await next(other)).toMatchObject({ id: 'g', result: {} });
});

it('ends open calls with their session', async () => {
  const session = await open();
  const stream = await call(session, 'w', { name: 'wait', _meta: { progressToken: 1 } });
  await next(stream);
  await session.end();
  await application.abandoned;

  expect(await stream.over).toBe('ended');
});

it('notices that nobody waits any more', async () => {
  const session = await open();
  const stream = await call(session, 'w', { name: 'wait', _meta: { progressToken: 1 } });
  await next(stream);
  stream.req.destroy();
  await application.abandoned;

  expect(served.faults).toEqual([]);
});

it('holds only so many calls open', async () => {
  const session = await open();
  const streams: EventReader[] = [];
  for (let count = 0; count < 16; count += 1) {
    const stream = await call(session, count, { name: 'greet' });
    await next(stream);
    streams.push(stream);
  }
  const refused = await session.call('tools/call', { name: 'greet' });
  const [first] = streams;
  first?.req.destroy();
  await first?.over;

  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.body)).toMatchObject({ id: 1, error: { code: -32000 } });
  expect((await session.call('ping')).status).toBe(200);
});

it('counts no call that was answered', async () => {
  const session = await open();
  const statuses: number[] = [];
  for (let count = 0; count < 17; count += 1)
    statuses.push((await session.call('tools/call', { name: 'tell' })).status);

  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('logs from the level on that the client set', async () => {
  const session = await open();
  const wrong = await session.call('logging/setLevel', { level: 'loud' });
  const set = await session.call('logging/setLevel', { level: 'warning' });
  const stream = await call(session, 1, { name: 'tell' });

  expect(JSON.parse(wrong.body)).toMatchObject({ error: { code: -32602 } });
  expect(JSON.parse(set.body)).toMatchObject({ result: {} });
  expect(await next(stream)).toMatchObject({ method: 'notifications/message', params: { level: 'error' } });
  expect(await next(stream)).toMatchObject({ id: 1 });
});

it('sends every log message to a client that set no level', async () => {
  const stream = await call(await open(), 1, { name: 'tell' });

  expect(await next(stream)).toMatchObject({ params: { level: 'info', data: 'half' } });
  expect(await next(stream)).toMatchObject({ params: { level: 'error' } });
});

it('answers a batch of which one message asks something', async () => {
  const session = await open();
  const batch = [
    { jsonrpc: '2.0', id: 'p', method: 'ping' },
    { jsonrpc: '2.0', id: 'g', method: 'tools/call', params: { name: 'greet' } },
  ];
  const stream = await EventReader.open(served.url, {
    headers: { 'mcp-session-id': session.id },
    body: JSON.stringify(batch),
  });
  const messages = [await next(stream), await next(stream)];
  const question = messages.find(({ method }) => method !== undefined);
  await post(session, { id: question?.id, result: accepted('Eve') });

  expect(messages).toContainEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  expect(await next(stream)).toMatchObject({ id: 'g', result: {} });
});

it('has a client whose session outlived the process open a new one before it asks', async () => {
  const kept = new Map<string, StoredSession>();
  const sessions = {
    load: async (id: string) => kept.get(id) ?? null,
    save: async (session: StoredSession) => void kept.set(session.id, session),
    touch: async () => undefined,
    remove: async () => undefined,
  };
  await served.stop();
  served = await serveNotes({ application, sessions });
  const { id } = await open();
  await served.stop();
  served = await serveNotes({ application, sessions });
  const message = (method: string, params: object) => ({
    headers: { 'mcp-session-id': id },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

  expect((await send(served.url, message('tools/list', {}))).status).toBe(200);
  expect((await send(served.url, message('tools/call', { name: 'greet' }))).status).toBe(404);
});
