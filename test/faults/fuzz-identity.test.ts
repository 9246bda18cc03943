import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { INTERNAL_WORDS, READ_BOTH } from '../contract/demonstration.ts';
import { modernHeaders, modernMessage } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import {
  ask,
  exchange,
  expectUnharmed,
  legacyBytes,
  modernBytes,
  requestBytes,
  sessionOf,
  Wire,
} from './fuzz-wire.ts';

const RISK = 'care-internal://ray/risk';
const BOS = 'care://bo/plan';

/** Somebody who asks, what it is told, and what it must never be told. */
interface Holder {
  readonly token: string;
  readonly session: string;
  readonly own: readonly string[];
  readonly foreign: readonly string[];
}

const data = temporaryFolder();
let server: RunningServer;
let holders: readonly Holder[];

beforeAll(async () => {
  server = await startServer(data);
  await publish(server.url, BOS, 'Only Bo may hear of the blue chair.');
  const rays = 'Keep the dressing on your left hip dry';
  const internal = INTERNAL_WORDS[2] ?? '';
  const bos = 'the blue chair';
  const holder = async (
    scope: string,
    subject: string,
    own: string[],
    foreign: string[],
  ): Promise<Holder> => {
    const token = await server.mint(scope, { sub: `${subject} ${scope.length}`, subject });
    return { token, session: await sessionOf(server.url, token), own, foreign };
  };
  holders = [
    await holder(READ_BOTH, 'ray', [rays, internal], [bos]),
    await holder('care.read.user', 'ray', [rays], [bos, ...INTERNAL_WORDS]),
    await holder('care.read.user', 'bo', [bos], [rays, ...INTERNAL_WORDS]),
  ];
});

afterEach(() => expectUnharmed(server));

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

/** What everybody asks, in the same words and under the same ids. */
const READS = ['care://ray/wound', RISK, BOS];

function question({ token, session }: Holder, era: number, uri: string, id: number): Buffer {
  return era === 0
    ? modernBytes(token, 'resources/read', { uri }, id)
    : legacyBytes(token, session, 'resources/read', { uri }, id);
}

describe('principals who ask at the same time under the same ids', () => {
  it('are each told their own over many connections', async () => {
    const asked = fc.record({ holder: fc.nat(2), era: fc.nat(1), uri: fc.nat(READS.length - 1) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(asked, { maxLength: 8 }), { minLength: 24, maxLength: 24 }),
        async (plans) => {
          // A connection is no one's: a proxy sends each request of another principal down the same one.
          await Promise.all(
            plans.map(async (plan) => {
              const wire = await Wire.open(server.url);
              for (const [id, { holder: index, era, uri: named }] of plan.entries()) {
                const [holder, uri = ''] = [holders[index], READS[named]];
                if (holder === undefined) throw new Error('no such holder');
                wire.send(question(holder, era, uri, id));
              }
              for (const [id, { holder: index, uri: named }] of plan.entries()) {
                const { body = '' } = (await wire.answer()) ?? {};
                const { own = [], foreign = [] } = holders[index] ?? {};
                expect((JSON.parse(body) as { id: unknown }).id).toBe(id);
                for (const words of foreign) expect(body).not.toContain(words);
                const mayRead = [
                  [true, true, false],
                  [true, false, false],
                  [false, false, true],
                ][index]?.[named];
                expect(own.some((words) => body.includes(words))).toBe(mayRead);
              }
              wire.socket.destroy();
            }),
          );
        },
      ),
      { numRuns: 8 },
    );
  });
});

/** A read of an internal fact under the lines that are given, in the modern era. */
function asked(lines: readonly string[]): Buffer {
  const headers = {
    ...modernHeaders('', 'resources/read', RISK),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const good = Object.entries(headers)
    .filter(
      ([name]) => name !== 'authorization' && !lines.some((line) => line.toLowerCase().startsWith(name)),
    )
    .map(([name, value]) => `${name}: ${value}`);
  const body = JSON.stringify(modernMessage('resources/read', { uri: RISK }));
  return requestBytes('POST /mcp HTTP/1.1', [...good, ...lines], body);
}

describe('headers that say something twice, or in another way', () => {
  const internal = INTERNAL_WORDS[2] ?? '';
  const tokens = (): { wide: string; narrow: string } => ({
    wide: holders[0]?.token ?? '',
    narrow: holders[1]?.token ?? '',
  });

  it.each([
    [
      'one token after the other',
      (wide: string, narrow: string) => [`authorization: Bearer ${narrow}`, `authorization: Bearer ${wide}`],
    ],
    [
      'the other order',
      (wide: string, narrow: string) => [`authorization: Bearer ${wide}`, `AUTHORIZATION: Bearer ${narrow}`],
    ],
    [
      'the same token twice',
      (wide: string) => [`authorization: Bearer ${wide}`, `authorization: Bearer ${wide}`],
    ],
    [
      'two tokens in one header',
      (wide: string, narrow: string) => [`authorization: Bearer ${narrow}, Bearer ${wide}`],
    ],
    [
      'two tokens after one scheme',
      (wide: string, narrow: string) => [`authorization: Bearer ${narrow} ${wide}`],
    ],
    ['another name', (wide: string) => [`proxy-authorization: Bearer ${wide}`]],
    [
      'an underscore in the name',
      (wide: string, narrow: string) => [`authorization: Basic ${narrow}`, `authorization_: Bearer ${wide}`],
    ],
    ['a folded token', (wide: string) => ['authorization: Bearer', ` ${wide}`]],
    ['a token with a NUL', (wide: string) => [`authorization: Bearer ${wide}\0`]],
    ['a token with a comma', (wide: string) => [`authorization: Bearer ${wide},`]],
  ])('are refused: %s', async (what, lines) => {
    const { wide, narrow } = tokens();
    const answers = await exchange(server.url, asked(lines(wide, narrow)));
    expect([what, answers.map(({ status }) => [400, 401].includes(status))]).toEqual([what, [true]]);
    expect(answers[0]?.body).not.toContain(internal);
  });

  it.each([
    'AUTHORIZATION: Bearer <token>',
    'authorization:Bearer <token>',
    'authorization: \t bearer <token> \t',
  ])('are the token’s own rights, no more and no less: %j', async (line) => {
    const { wide, narrow } = tokens();
    const [own, other] = await Promise.all(
      [wide, narrow].map(
        async (token) => (await ask(server.url, asked([line.replace('<token>', token)]))).body,
      ),
    );
    expect([own?.includes(internal), other?.includes(internal)]).toEqual([true, false]);
  });

  it.each(['mcp-protocol-version: 2026-07-28', 'mcp-method: resources/read', `mcp-name: ${RISK}`])(
    'are refused where two readers could each take another one: %s',
    async (line) => {
      const { wide } = tokens();
      const twice = [`authorization: Bearer ${wide}`, line, line.replace(/: .*/, ': x')];
      const { status, body } = await ask(server.url, asked(twice));
      expect([line, status, body.includes(internal)]).toEqual([line, 400, false]);
    },
  );

  it.each([
    ['of its own and of another', (own: string, other: string) => [own, other]],
    ['of another and of its own', (own: string, other: string) => [other, own]],
    ['of its own, twice', (own: string) => [own, own]],
    ['of its own and none', (own: string) => [own, '']],
  ])('name no session: %s', async (what, ids) => {
    const [wide, narrow] = holders;
    if (wide === undefined || narrow === undefined) throw new Error('no holders');
    for (const method of ['POST', 'GET', 'DELETE']) {
      const lines = [
        `authorization: Bearer ${narrow.token}`,
        'accept: application/json, text/event-stream',
        'content-type: application/json',
        ...ids(narrow.session, wide.session).map((id) => `mcp-session-id: ${id}`),
      ];
      const message = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: RISK } };
      const body = method === 'POST' ? JSON.stringify(message) : '';
      const answer = await ask(server.url, requestBytes(`${method} /mcp HTTP/1.1`, lines, body));
      expect([what, method, answer.status]).toEqual([what, method, 404]);
    }
    for (const { token, session } of [wide, narrow]) {
      expect((await ask(server.url, legacyBytes(token, session, 'ping', {}))).status).toBe(200);
    }
  });

  it.each([
    ['two origins, of which one is foreign', ['origin: <own>', 'origin: http://evil.example']],
    ['a foreign origin on loopback', ['origin: http://127.0.0.1:1']],
    ['the origin of a file', ['origin: null']],
    ['an origin that begins like ours', ['origin: http://localhost.evil.example']],
    ['an origin with a user', ['origin: http://localhost@evil.example']],
  ])('are refused before any token is looked at: %s', async (what, lines) => {
    const { wide } = tokens();
    const origins = lines.map((line) => line.replace('<own>', server.url));
    const answer = await ask(server.url, asked([`authorization: Bearer ${wide}`, ...origins]));
    expect([what, answer.status, answer.body.includes(internal)]).toEqual([what, 403, false]);
    expect(answer.headers.get('access-control-allow-origin')).toBeUndefined();
  });

  it('are refused where a second Host, or a foreign one, stands', async () => {
    const { wide } = tokens();
    const good = asked([`authorization: Bearer ${wide}`]).toString('latin1');
    const rebound = good.replace('host: localhost', 'host: evil.example:8787');
    const second = good.replace('host: localhost', 'host: localhost\r\nHOST: localhost');
    expect([
      (await ask(server.url, Buffer.from(good, 'latin1'))).status,
      (await ask(server.url, Buffer.from(rebound, 'latin1'))).status,
      (await ask(server.url, Buffer.from(second, 'latin1'))).status,
    ]).toEqual([200, 403, 400]);
  });

  it('cannot have a stream go on from where nobody said', async () => {
    const [, narrow] = holders;
    if (narrow === undefined) throw new Error('no holder');
    const lines = ['x', 'y'].map((id) => `last-event-id: ${id}`);
    const headers = [
      ...lines,
      `authorization: Bearer ${narrow.token}`,
      `mcp-session-id: ${narrow.session}`,
      'accept: text/event-stream',
    ];
    const wire = await Wire.open(server.url);
    wire.send(requestBytes('GET /mcp HTTP/1.1', headers));
    const raw = await new Promise<string>((resolve) =>
      wire.socket.once('data', (chunk) => resolve(String(chunk))),
    );
    expect(raw).toMatch(/^HTTP\/1\.1 200 /);
    for (const word of INTERNAL_WORDS) expect(raw).not.toContain(word);
    wire.socket.destroy();
  });
});
