import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { INTERNAL_WORDS, READ_BOTH } from './demonstration.ts';

const NOW = '2033-03-04T05:06:07.089Z';
const URI = 'care://ray/weight_bearing';

const folder = temporaryFolder();
let server: RunningServer;
let writer: string;

beforeAll(async () => {
  server = await startServer(folder, { UNSAY_CLOCK: NOW });
  writer = await server.mint(`care.write ${READ_BOTH}`);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

function preview(
  body: string,
  token: string | null = writer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return fetch(`${server.url}/preview`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...authorization, ...headers },
  });
}

async function everything(): Promise<string> {
  return JSON.stringify([await server.exported(), await server.operate('audit')]);
}

async function sentencesOf(uri: string): Promise<object> {
  const answer = await post(
    server.url,
    modernMessage('resources/read', { uri }),
    modernHeaders(writer, 'resources/read', uri),
  );
  const { result } = (await answer.json()) as { result: { contents: { _meta: Record<string, unknown> }[] } };
  const meta = result.contents[0]?._meta ?? {};
  return { spoken: meta['unsay/spoken'], retraction: meta['unsay/retraction'] ?? null };
}

describe('POST /preview', () => {
  it.each([
    [
      'a correction',
      { uri: URI, value: 'Put no weight on your left leg.', authorId: 'a', authorLabel: 'the ward' },
    ],
    ['words with a glossed term', { uri: URI, value: 'Non-weight-bearing on the left.', authorId: 'a' }],
    [
      'words past their review date',
      { uri: URI, value: 'Old.', authorId: 'a', staleAfter: '2033-01-01T00:00:00Z' },
    ],
    ['a first version', { uri: 'care://ray/sleep', value: 'Sleep on your back.', authorId: 'a' }],
    ['a withdrawal', { uri: URI, withdraw: true, authorId: 'a', authorLabel: 'the ward' }],
    ['words after a withdrawal', { uri: URI, value: 'Full weight on both legs.', authorId: 'a' }],
  ])('gives for %s the sentences that are read once it is published', async (_what, draft) => {
    const body = JSON.stringify(draft);
    const before = await everything();
    const answer = await preview(body);
    expect(answer.status).toBe(200);
    const previewed = await answer.json();
    expect(await everything()).toBe(before);
    expect((await send(server.url, signed(body, { at: Date.parse(NOW) }))).status).toBe(201);
    expect(previewed).toEqual(await sentencesOf(draft.uri));
  });

  it('is conditional as a write is, and names the head', async () => {
    const moved = await preview(writeBody(URI, 'x'), writer, { 'if-match': `"${'0'.repeat(64)}"` });
    expect([moved.status, await moved.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'head_moved', head: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    ]);
  });
});

describe('POST /preview refuses, and leaves nothing behind,', () => {
  const row = (body: string, token: string | null, headers: Record<string, string> = {}) => ({
    body,
    token,
    headers,
  });
  const good = writeBody(URI, 'x');

  it.each([
    ['no credential', 401, 'unsigned', () => row(good, null)],
    ['a token that is none', 401, 'bad_signature', () => row(good, 'zzz')],
    ['a signature in place of a token', 401, 'unsigned', () => row(good, null, { ...signed(good).headers })],
    ['a reader', 403, 'insufficient_scope', async () => row(good, await server.mint(READ_BOTH))],
    ['a body that is none', 400, 'malformed', () => row('{', writer)],
    ['a blob that is none', 400, 'malformed', () => row(writeBody(URI, 'x', { blob: 1 }), writer)],
    ['a condition that is none', 400, 'malformed', () => row(good, writer, { 'if-match': '*' })],
    ['a foreign Origin', 403, 'origin_refused', () => row(good, writer, { origin: 'https://evil.example' })],
    [
      'a wrong media type',
      415,
      'unsupported_media_type',
      () => row(good, writer, { 'content-type': 'text/plain' }),
    ],
    ['an audience change', 409, 'store_rejected', () => row(writeBody('care://ray/risk', 'x'), writer)],
    ['a body over the limit', 413, 'body_too_large', () => row(writeBody(URI, 'x'.repeat(270_000)), writer)],
    [
      'a blob over the ceiling',
      413,
      'body_too_large',
      () =>
        row(
          writeBody(URI, 'x', {
            blob: { mediaType: 'a/b', base64: Buffer.alloc(131_073).toString('base64') },
          }),
          writer,
        ),
    ],
    [
      'nothing to take back',
      404,
      'not_found',
      () => row(JSON.stringify({ uri: 'care://ray/no', withdraw: true, authorId: 'a' }), writer),
    ],
  ] as const)('%s', async (_what, status, code, make) => {
    const { body, token, headers } = await make();
    const before = await everything();
    const answer = await preview(body, token, headers);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).code]).toEqual([status, code]);
    expect(await everything()).toBe(before);
    for (const words of INTERNAL_WORDS) expect(text).not.toContain(words);
  });

  it.each([
    ['who lacks a reading scope', 'care.write care.read.user', 'ray'],
    ['who was not granted the subject', `care.write ${READ_BOTH}`, 'mia'],
  ])('and is one answer for every fact to a writer %s', async (_who, scope, subject) => {
    const token = await server.mint(scope, { subject });
    const bodies = [
      'care://ray/wound',
      'care-internal://ray/risk',
      'care://ray/risk',
      'care://ray/none',
    ].flatMap((uri) => [writeBody(uri, 'x'), JSON.stringify({ uri, withdraw: true, authorId: 'a' })]);
    const answers = await Promise.all(
      bodies.map(async (body) => {
        const answer = await preview(body, token);
        return JSON.stringify([answer.status, [...answer.headers], await answer.text()]);
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('not_found');
  });
});
