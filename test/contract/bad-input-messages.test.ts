import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS, type Era } from '../harness/era-client.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { EVERYTHING, READ_BOTH } from './demonstration.ts';
import { type RawAsker, RPC_CODES, rawAskers, shown } from './hostile.ts';

const DEEP = 100_000;

const data = temporaryFolder();
let server: RunningServer;
let askers: Readonly<Record<Era, RawAsker>>;
let others: Readonly<Record<Era, RawAsker>>;

beforeAll(async () => {
  server = await startServer(data);
  askers = await rawAskers(server.url, await server.mint(READ_BOTH));
  others = await rawAskers(server.url, await server.mint(READ_BOTH, { sub: 'another' }));
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

describe.each(ERAS)('a message in the %s era', (era) => {
  const message = (params: unknown): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list', params });

  const MESSAGES: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['white space', ' \n'],
    ['a byte order mark before it', `\ufeff${message({})}`],
    ['UTF-16', Buffer.from(message({}), 'utf16le')],
    ['bytes after it', `${message({})}x`],
    ['a byte that is not UTF-8', Buffer.from(message({ x: '\u00e9' }), 'latin1')],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"resources/list"'],
    ['an empty list', '[]'],
    ['a list', `[${message({})}]`],
    ['no method', '{"jsonrpc":"2.0","id":1}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['a method that there is not', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}'],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"resources/list"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"resources/list"}'],
    ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"resources/list","params":[]}'],
    ['params that are a list', message([])],
    ['params that are a text', message('x')],
    ['lists a hundred thousand deep', '['.repeat(DEEP) + ']'.repeat(DEEP)],
    [
      'params a hundred thousand deep',
      message({}).replace('{}', `{"cursor":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`),
    ],
    ['a message of its own to the end of the limit', message({ cursor: 'x'.repeat(262_000) })],
  ];

  // Before 2025-06-18 there were batches, so a list is a message in the legacy era.
  const refused = MESSAGES.filter(([what]) => era === 'modern' || what !== 'a list');

  it.each(refused)('is refused where it is %s', async (_what, bytes) => {
    const { status, error } = await askers[era].sendBytes('resources/list', bytes);
    expect(status).toBeLessThan(500);
    expect(RPC_CODES).toContain(error?.code);
    expect((await askers[era].ask('resources/list', {})).status).toBe(200);
  });

  it('is answered, whatever is deep in what nobody reads of it', async () => {
    const deep = message({}).replace('{}', `{"_meta":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`);
    const { status, error } = await askers[era].sendBytes('resources/list', deep);
    expect(status).toBeLessThan(500);
    if (error !== null) expect(RPC_CODES).toContain(error.code);
    expect((await askers[era].ask('resources/list', {})).status).toBe(200);
  });

  it.each(
    [
      7,
      null,
      true,
      [],
      {},
      '',
      ' ',
      '0',
      'AAAA',
      'null',
      '=',
      'A'.repeat(37),
      'A'.repeat(200 * 1024),
      '\0',
      '\u{1f41f}',
      'cursor\n',
      '../',
    ].map((cursor) => [shown(cursor), cursor]),
  )('is refused with the cursor %s, or read as one without', async (_shown, cursor) => {
    const listed = await askers[era].ask('resources/list', { cursor });
    if (typeof cursor === 'string') expect(listed.error?.code).toBe(-32602);
    else if (listed.error !== null) expect(RPC_CODES).toContain(listed.error.code);
    else expect(listed.result).toHaveProperty('nextCursor');
    const changed = await askers[era].ask('tools/call', {
      name: 'whats_changed',
      arguments: { after: cursor },
    });
    expect(changed.status).toBeLessThan(500);
    if (typeof cursor === 'string')
      expect(changed.error !== null || changed.result?.isError === true).toBe(true);
    if (changed.error !== null) expect(RPC_CODES).toContain(changed.error.code);
  });

  it('is refused with every cursor that is cut, of another purpose, or another’s', async () => {
    const { nextCursor } = (await askers[era].ask('resources/list', {})).result as { nextCursor: string };
    const call = { name: 'whats_changed', arguments: {} };
    const { structuredContent } = (await askers[era].ask('tools/call', call)).result ?? {};
    const { cursor } = structuredContent as { cursor: string };
    const list = (by: RawAsker, given: string) => by.ask('resources/list', { cursor: given });
    const change = (by: RawAsker, after: string) => by.ask('tools/call', { ...call, arguments: { after } });
    const isRefused = ({ error, result }: Awaited<ReturnType<RawAsker['ask']>>): boolean =>
      error?.code === -32602 || result?.isError === true;
    expect([
      isRefused(await list(askers[era], nextCursor)),
      isRefused(await change(askers[era], cursor)),
    ]).toEqual([false, false]);
    for (const at of nextCursor.split('').keys()) {
      for (const given of [nextCursor.slice(0, at), nextCursor.slice(at + 1)])
        expect([at, isRefused(await list(askers[era], given))]).toEqual([at, true]);
    }
    for (const at of cursor.split('').keys())
      expect([at, isRefused(await change(askers[era], cursor.slice(0, at)))]).toEqual([at, true]);
    const wrong = [
      await list(others[era], nextCursor),
      await change(others[era], cursor),
      await list(askers[era], cursor),
      await change(askers[era], nextCursor),
      await list(askers[era], `${nextCursor}=`),
      await list(askers[era], nextCursor.toLowerCase()),
      await list(askers[era], nextCursor + nextCursor),
    ];
    expect(wrong.map(isRefused)).toEqual(wrong.map(() => true));
  });
});

it('none of it left anything in the store, or on standard error', async () => {
  const exported = await server.exported();
  const found = exported.filter(({ type }) => type === 'fact').map(({ uri }) => uri);
  expect(found).toEqual(EVERYTHING);
  expect(await server.operate('verify')).toMatchObject({ intact: true, chains: 8, versions: 9 });
  expect(await server.operate('audit')).toMatchObject({ intact: true });
  expect(server.faults()).toBe('');
});
