import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LegacySession, openSession } from '../fixtures/legacy-session.ts';
import { modernRequest, send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
let session: LegacySession;
beforeAll(async () => {
  served = await serveNotes();
  session = await openSession(served.url);
});
afterAll(() => served.stop());

interface Answer {
  readonly id: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function modern(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  return JSON.parse((await send(served.url, modernRequest(method, params))).body);
}
async function legacy(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  return JSON.parse((await session.call(method, params)).body);
}

describe.each([
  ['modern', modern],
  ['legacy', legacy],
])('in the %s era', (era, call) => {
  it('takes a URI as it was sent', async () => {
    const uris = ['OPEN://apple', 'open://%61pple', 'open://apple/', 'open://Apple', 'open:apple', 'x'];
    const errors = await Promise.all(uris.map(async (uri) => (await call('resources/read', { uri })).error));

    expect(errors).toEqual(
      uris.map((uri) => ({
        code: era === 'modern' ? -32602 : -32002,
        message: `Resource not found: ${uri}`,
        data: { uri },
      })),
    );
    expect(served.application.asked).toEqual(expect.arrayContaining(uris));
  });

  it('says nothing of an exception', async () => {
    const answers = await Promise.all([
      call('resources/read', { uri: 'open://broken' }),
      call('tools/call', { name: 'break', arguments: {} }),
    ]);

    for (const { error } of answers) expect(error).toEqual({ code: -32603, message: 'Internal error' });
    expect(served.faults.splice(0).map(String)).toEqual(
      expect.arrayContaining(['Error: disk /secret/path is full', 'Error: password is hunter2']),
    );
  });

  it('turns unusable arguments into words for the model', async () => {
    const { result } = await call('tools/call', { name: 'count', arguments: { prefix: 7 } });

    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('prefix') }] });
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('gives a refusal no structured content', async () => {
    const { result } = await call('tools/call', { name: 'refuse' });

    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'Not today.' }] });
    expect(result).not.toHaveProperty('structuredContent');
  });

  it.each([
    ['tools/call', { name: 'nothing' }, 'Unknown tool: nothing'],
    ['tools/call', { name: 'strict' }, 'after: not a cursor of yours'],
    ['resources/list', { cursor: 'forged' }, 'Invalid cursor: list again without one'],
    ['resources/list', { cursor: 7 }, 'cursor must be a string'],
    ['resources/read', {}, 'uri must be a string'],
    ['prompts/get', { name: 'nothing' }, 'Prompt not found: nothing'],
    ['prompts/get', { name: 'brief', arguments: {} }, 'topic is missing: name one'],
    ['prompts/get', { name: 'brief', arguments: { topic: 7 } }, expect.stringContaining('strings')],
    ['completion/complete', { ref: 'x' }, 'ref must be an object'],
    [
      'completion/complete',
      { ref: { type: 'ref/tool', name: 'x' }, argument: { name: 'a', value: '' } },
      expect.stringContaining('ref/prompt'),
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a' } },
      expect.stringContaining('argument.value'),
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' }, context: 7 },
      expect.stringContaining('context.arguments'),
    ],
  ])('answers %s %j with -32602', async (method, params, message) => {
    expect((await call(method, params)).error).toEqual({ code: -32602, message });
  });

  it('completes nothing of a template that the principal may not read', async () => {
    const argument = { name: 'note', value: '' };
    const ask = (uri: string) =>
      call('completion/complete', { ref: { type: 'ref/resource', uri }, argument });
    const forbidden = await ask('staff://{note}');

    expect(forbidden.result).toMatchObject({ completion: { values: [], total: 0, hasMore: false } });
    expect(forbidden).toEqual(await ask('none://{note}'));
    expect((await call('resources/templates/list')).result).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'open://{note}' }],
    });
  });

  it('describes a tool without its code', async () => {
    const { result } = await call('tools/list');

    expect(result).toMatchObject({
      tools: [
        {
          name: 'count',
          title: 'Count notes',
          inputSchema: { type: 'object', required: ['prefix'] },
          outputSchema: { required: ['count'] },
          annotations: { readOnlyHint: true },
          _meta: { 'notes/kind': 'count' },
        },
        {},
        {},
        {},
      ],
    });
  });
});

describe('a modern result', () => {
  it.each([
    ['server/discover', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'open://apple' }],
    ['prompts/list', {}],
    ['tools/list', {}],
  ])('of %s may not be kept', async (method, params) => {
    expect((await modern(method, params)).result).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'notes', version: '1.2.3' } },
    });
  });

  it('names what the server can do', async () => {
    expect((await modern('server/discover')).result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        tools: {},
        completions: {},
      },
      instructions: 'Read notes.',
    });
  });
});

it('cannot be told apart in the modern era: a forbidden resource and an absent one', async () => {
  const request = modernRequest('resources/read', { uri: 'staff://apple' });
  const without = await serveNotes({ notes: { 'open://apple': 'red' } });
  const shown = async (url: string) => {
    const { status, headers, body } = await send(url, request);
    return { status, headers: { ...headers, date: '' }, body };
  };
  try {
    expect(await shown(served.url)).toEqual(await shown(without.url));
  } finally {
    await without.stop();
  }
});
