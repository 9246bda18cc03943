import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS, type Era } from '../harness/era-client.ts';
import { followRaw } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { writeBody } from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';
import { type RawAsker, RPC_CODES, type RpcRefusal, rawAskers, shown, write } from './hostile.ts';
import { UNREADABLE } from './unreadable-uris.ts';

const data = temporaryFolder();
let server: RunningServer;
let token: string;
let askers: Readonly<Record<Era, RawAsker>>;

beforeAll(async () => {
  server = await startServer(data);
  token = await server.mint(`${READ_BOTH} care.write`, { subject: '*' });
  askers = await rawAskers(server.url, token);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

describe.each(ERAS)('resources/read in the %s era', (era) => {
  it.each(UNREADABLE.map((uri) => [shown(uri), uri]))(
    'finds under %s what it finds under a fact that is not there',
    async (_shown, uri) => {
      const { code, status, message, data: about } = await refusalOf(uri);
      const absent = await refusalOf('care://ray/absent');
      expect([code, status, about]).toEqual([absent.code, absent.status, { uri }]);
      expect(message).toBe(absent.message.replace('care://ray/absent', () => uri));
    },
  );

  it.each(['care://ray/\ud800', 'care://ray/wound\udc00', '\udc00\ud800'])(
    'refuses the lone surrogates of %j',
    async (uri) => {
      const { code, status } = await refusalOf(uri);
      expect([RPC_CODES.has(code), status < 500]).toEqual([true, true]);
    },
  );

  async function refusalOf(uri: string): Promise<RpcRefusal> {
    const { status, error } = await askers[era].ask('resources/read', { uri });
    if (error === null) throw new Error(`${uri} was read`);
    expect(RPC_CODES).toContain(error.code);
    return { status, ...error };
  }

  it.each([
    ['a number', 7],
    ['null', null],
    ['nothing', undefined],
    ['an array', ['care://ray/wound']],
    ['an object', { uri: 'care://ray/wound' }],
    ['true', true],
  ])('refuses %s in the place of a URI', async (_what, uri) => {
    const { status, error } = await askers[era].ask('resources/read', { uri });
    expect([status < 500, RPC_CODES.has(error?.code ?? 0)]).toEqual([true, true]);
  });

  it('refuses ten megabytes of a URI before it has read them', async () => {
    const uri = `care://ray/${'w'.repeat(10_000_000)}`;
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
    const answer = await askers[era].sendBytes('resources/read', message, 'care://ray/w').catch(() => null);
    // The server may close the connection while the rest is still being sent.
    if (answer !== null)
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([413, 'body_too_large']);
    expect((await askers[era].ask('resources/read', { uri: 'care://ray/wound' })).status).toBe(200);
  });

  const SUBJECTS: readonly unknown[] = [
    '',
    'RAY',
    'ray/',
    'ray\0',
    '../ray',
    '%72ay',
    'r\u0430y',
    '*',
    '__proto__',
    'x'.repeat(100_000),
    7,
    null,
    ['ray'],
    {},
  ];

  it.each(SUBJECTS.map((subject) => [shown(subject), subject]))(
    'has nothing to brief about, and nothing that changed, for the subject %s',
    async (_shown, subject) => {
      const briefed = await askers[era].ask('prompts/get', { name: 'brief_carer', arguments: { subject } });
      expect(RPC_CODES).toContain(briefed.error?.code);
      const changed = await askers[era].ask('tools/call', { name: 'whats_changed', arguments: { subject } });
      const { changes } = (changed.result?.structuredContent ?? {}) as { changes?: readonly unknown[] };
      if (changed.error !== null) expect(RPC_CODES).toContain(changed.error.code);
      else expect(changed.result?.isError === true || changes?.length === 0).toBe(true);
      const ref = { type: 'ref/resource', uri: 'care://{subject}/{topic}' };
      const context = { arguments: { subject } };
      const argument = { name: 'topic', value: '' };
      const { error, result } = await askers[era].ask('completion/complete', { ref, argument, context });
      if (error !== null) expect(RPC_CODES).toContain(error.code);
      else expect(result).toHaveProperty('completion.values');
    },
  );
});

it.each(UNREADABLE.map((uri) => [shown(uri), uri]))(
  'nobody subscribes in a session to %s',
  async (_shown, uri) => {
    const { error } = await askers.legacy.ask('resources/subscribe', { uri });
    const absent = (await askers.legacy.ask('resources/subscribe', { uri: 'care://ray/absent' })).error;
    const message = absent?.message.replace('care://ray/absent', () => uri);
    expect(error).toEqual({ code: absent?.code, message, data: { uri } });
  },
);

it('a stream follows the one fact that is named among all that are not', async () => {
  const uris = [...UNREADABLE, 'care://ray/absent', 'care://ray/wound', ...UNREADABLE];
  const stream = await followRaw('modern', server.url, token, uris);
  expect(stream.raw).toContain('"resourceSubscriptions":["care://ray/wound"]');
  stream.close();
});

describe('POST /write', () => {
  it.each(UNREADABLE.map((uri) => [shown(uri), uri]))('publishes nothing under %s', async (_shown, uri) => {
    const { status, code } = await write(server.url, writeBody(uri, 'Never.'));
    expect([status, code]).toEqual([400, 'malformed']);
  });

  it('refuses ten megabytes of a URI', async () => {
    const uri = `care://ray/${'w'.repeat(10_000_000)}`;
    const answer = await write(server.url, writeBody(uri, 'Never.')).catch(() => null);
    if (answer !== null) expect([answer.status, answer.code]).toEqual([413, 'body_too_large']);
    expect((await write(server.url, writeBody('care://ray/after', 'Said.'))).status).toBe(201);
  });
});

it('none of it left anything in the store, or on standard error', async () => {
  expect(await server.operate('verify')).toMatchObject({ intact: true, chains: 9, versions: 10 });
  expect(await server.operate('audit')).toMatchObject({ intact: true });
  expect(server.faults()).toBe('');
});
