import { afterEach, beforeEach, expect, it } from 'vitest';
import { AskingApplication } from '../fixtures/asking-application.ts';
import { EventReader, envelope, modernRequest, type RawRequest, send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import type { JsonObject } from '../json.ts';

let served: ServedNotes;
let application: AskingApplication;
beforeEach(async () => {
  application = new AskingApplication();
  served = await serveNotes({ application });
});
afterEach(() => served.stop());

const ELICITATION = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const who = (name: string) => ({ who: { action: 'accept', content: { name } } });

/** A call whose envelope says more than that of `modernRequest`. */
function call(name: string, params: object, { meta = {}, token = 'guest', method = 'tools/call' } = {}) {
  const request = modernRequest(method, { name, ...params }, { token });
  const message = JSON.parse(String(request.body));
  Object.assign(message.params._meta, envelope, meta);
  return { ...request, body: JSON.stringify(message) } satisfies RawRequest;
}

async function answer(request: RawRequest): Promise<{
  readonly status: number;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}> {
  const { status, body } = await send(served.url, request);
  return { status, ...JSON.parse(body) };
}

async function asked(token = 'guest', name = 'greet'): Promise<string> {
  const { result } = await answer(call(name, {}, { meta: ELICITATION, token }));
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { who: { method: 'elicitation/create' } },
    requestState: expect.stringMatching(/./),
  });
  return String(result?.requestState);
}

it('asks, and answers when it is called again with what it asked for', async () => {
  const requestState = await asked();
  const { result } = await answer(call('greet', { inputResponses: who('Eve'), requestState }));

  expect(result).toMatchObject({
    resultType: 'complete',
    content: [{ text: '{"word":"Hello","by":"bob"} Eve' }],
  });
});

it('asks for what a prompt needs', async () => {
  const method = 'prompts/get';
  const first = await answer(call('interview', {}, { meta: ELICITATION, method }));
  const second = await answer(call('interview', { inputResponses: who('Eve') }, { method }));

  expect(first.result).toMatchObject({ resultType: 'input_required' });
  expect(second.result).toMatchObject({ messages: [{ content: { text: 'Interview Eve' } }] });
});

it('lists what speaks like what does not', async () => {
  const tools = await answer(modernRequest('tools/list', {}));
  const prompts = await answer(modernRequest('prompts/list', {}));

  expect(tools.result).toMatchObject({
    tools: [{ name: 'greet', inputSchema: { type: 'object' } }, {}, {}, {}],
  });
  expect(prompts.result).toMatchObject({ prompts: [{ name: 'interview' }] });
});

it.each<[what: string, use: (state: string) => RawRequest]>([
  ['changed', (state) => call('greet', { inputResponses: who('Eve'), requestState: `${state}x` })],
  ['made up', () => call('greet', { inputResponses: who('Eve'), requestState: '{"word":"Hello"}' })],
  [
    "another caller's",
    (requestState) => call('greet', { inputResponses: who('Eve'), requestState }, { token: 'staff' }),
  ],
  ["another tool's", (requestState) => call('welcome', { inputResponses: who('Eve'), requestState })],
])('refuses a state that is %s', async (_what, use) => {
  const { error } = await answer(use(await asked()));

  expect(error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
});

it('says what a client lacks that cannot be asked', async () => {
  expect(await answer(call('greet', {}))).toMatchObject({
    status: 400,
    error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
  });
});

it('sends progress before the answer, and nothing to whoever did not ask for it', async () => {
  const stream = await EventReader.open(served.url, call('tell', {}, { meta: { progressToken: 'p' } }));
  const messages = (await stream.rest()).map((event) => JSON.parse(event.replace(/^.*data: /s, '')));
  const plain = await send(served.url, call('tell', {}));

  expect(stream.res.headers['content-type']).toBe('text/event-stream');
  expect(messages).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
    { method: 'notifications/progress', params: { progress: 2 } },
    { id: 1, result: { content: [{ text: 'done' }] } },
  ]);
  expect(plain.headers['content-type']).toBe('application/json');
});

it('logs from the level on that the request names', async () => {
  const meta = { 'io.modelcontextprotocol/logLevel': 'warning' };
  const stream = await EventReader.open(served.url, call('tell', {}, { meta }));

  expect(await stream.message()).toMatchObject({
    method: 'notifications/message',
    params: { level: 'error', data: 'nearly' },
  });
  expect(await stream.message()).toMatchObject({ id: 1 });
});

it('notices that nobody waits any more', async () => {
  const stream = await EventReader.open(served.url, call('wait', {}, { meta: { progressToken: 1 } }));
  await stream.message();
  stream.req.destroy();
  await application.abandoned;

  expect(served.faults).toEqual([]);
});
