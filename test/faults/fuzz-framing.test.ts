import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { INTERNAL_WORDS } from '../contract/demonstration.ts';
import { followRaw, modernHeaders, modernMessage } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import {
  type Answer,
  ask,
  exchange,
  expectUnharmed,
  legacyBytes,
  modernBytes,
  requestBytes,
  sessionOf,
  Wire,
} from './fuzz-wire.ts';

const URI = 'care://ray/wound';
const MESSAGE = JSON.stringify(modernMessage('resources/read', { uri: URI }));
const SMUGGLED = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';

const data = temporaryFolder();
let server: RunningServer;
let token: string;
let session: string;

beforeAll(async () => {
  server = await startServer(data);
  token = await server.mint('care.read.user');
  session = await sessionOf(server.url, token);
});

afterEach(() => expectUnharmed(server));

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

/** A good request for a fact, but for the lines and the body that are given. */
function odd(lines: readonly string[], body: string, start = 'POST /mcp HTTP/1.1'): Buffer {
  const headers = { ...modernHeaders(token, 'resources/read', URI), 'content-type': 'application/json' };
  const good = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return requestBytes(start, [...good, ...lines], body);
}

const CHUNKED = 'transfer-encoding: chunked';
const LENGTH = `content-length: ${MESSAGE.length}`;
const chunks = (size: string, data = MESSAGE, after = '\r\n0\r\n\r\n'): string =>
  `${size}\r\n${data}${after}`;
const HEX = MESSAGE.length.toString(16);

describe('a request whose end is not where it says', () => {
  it('is answered when its chunks are in order, so that only their disorder can be what is refused', async () => {
    const [answer, ...more] = await exchange(server.url, odd([CHUNKED], chunks(HEX)));
    expect([answer?.status, more]).toEqual([200, []]);
    expect(answer?.body).toContain('"contents"');
  });

  it.each<[what: string, lines: readonly string[], body: string]>([
    ['a chunk size that is no number', [CHUNKED], chunks('zz')],
    ['a negative chunk size', [CHUNKED], chunks(`-${HEX}`)],
    ['a chunk size with a sign', [CHUNKED], chunks(`+${HEX}`)],
    ['a chunk size with a prefix', [CHUNKED], chunks(`0x${HEX}`)],
    ['a chunk size beyond 64 bits', [CHUNKED], chunks(`f${'0'.repeat(16)}${HEX}`)],
    ['no chunk size', [CHUNKED], chunks('')],
    ['a space before the chunk size', [CHUNKED], chunks(` ${HEX}`)],
    ['a chunk that is longer than its size', [CHUNKED], chunks('5')],
    ['a chunk that is shorter than its size', [CHUNKED], chunks(`${HEX}0`)],
    ['a chunk that a bare LF ends', [CHUNKED], chunks(HEX, MESSAGE, '\n0\r\n\r\n')],
    ['a chunk size that a bare LF ends', [CHUNKED], `${HEX}\n${MESSAGE}\r\n0\r\n\r\n`],
    ['a chunk extension with a NUL', [CHUNKED], chunks(`${HEX};x=\0`)],
    ['a chunk extension of 40 kB', [CHUNKED], chunks(`${HEX};x=${'y'.repeat(40_000)}`)],
    ['no last chunk', [CHUNKED], chunks(HEX, MESSAGE, '\r\n')],
    ['a length and chunks', [LENGTH, CHUNKED], chunks(HEX)],
    ['chunks and a length', [CHUNKED, 'content-length: 0'], chunks(HEX)],
    ['chunked twice', ['transfer-encoding: chunked, chunked'], chunks(HEX)],
    ['chunked in two headers', [CHUNKED, CHUNKED], chunks(HEX)],
    ['chunked and then another coding', ['transfer-encoding: chunked, identity'], chunks(HEX)],
    ['chunked with a vertical tab', ['transfer-encoding: \vchunked'], chunks(HEX)],
    ['two lengths', [LENGTH, LENGTH], MESSAGE],
    ['two lengths that differ', [LENGTH, 'content-length: 5'], MESSAGE],
    ['a list of lengths', [`content-length: 5, ${MESSAGE.length}`], MESSAGE],
    ['a length with a sign', [`content-length: +${MESSAGE.length}`], MESSAGE],
    ['a negative length', ['content-length: -1'], MESSAGE],
    ['a length beyond 64 bits', [`content-length: 1${'0'.repeat(20)}`], MESSAGE],
    ['a length in hexadecimal', [`content-length: 0x${HEX}`], MESSAGE],
    ['a length that more bytes follow', ['content-length: 5'], MESSAGE],
    ['a length that is not reached', [`content-length: ${MESSAGE.length + 1}`], MESSAGE],
    ['a header that goes on in the next line', ['x: a', ' b: c', LENGTH], MESSAGE],
    ['a header that goes on after a tab', ['x: a', '\tb: c', LENGTH], MESSAGE],
    ['a header that a bare LF ends', [`x: a\ny: b`, LENGTH], MESSAGE],
    ['a header that a bare CR ends', [`x: a\ry: b`, LENGTH], MESSAGE],
    ['a NUL in a header', ['x: a\0b', LENGTH], MESSAGE],
    ['a NUL in the name of a header', ['x\0: a', LENGTH], MESSAGE],
    ['a space before a colon', [`content-length : ${MESSAGE.length}`, 'x: y'], MESSAGE],
    ['a length whose name is folded', ['x: y', ` ${LENGTH}`], MESSAGE],
  ])('is refused, and what follows is not served: %s', async (what, lines, body) => {
    const answers = await exchange(server.url, Buffer.concat([odd(lines, body), Buffer.from(SMUGGLED)]));
    expect([what, [1, 2].includes(answers.length)]).toEqual([what, true]);
    for (const { status } of answers) {
      expect([what, status >= 400 && status < 500, status]).toEqual([what, true, status]);
    }
  });

  it.each([
    'POST /mcp HTTP/1.1 x',
    'POST /mcp\tHTTP/1.1',
    'POST /mcp\0 HTTP/1.1',
    'POST mcp HTTP/1.1',
    'POST http://localhost/mcp HTTP/1.1',
    'POST //localhost/mcp HTTP/1.1',
    'post /mcp HTTP/1.1',
  ])('is refused with the first line %j', async (start) => {
    const [answer, ...more] = await exchange(server.url, odd([LENGTH], MESSAGE, start));
    expect([answer?.status, more]).toEqual([400, []]);
  });

  // Node reads these, and so they have to be harmless: one request is one answer.
  it.each([
    'POST  /mcp HTTP/1.1',
    'POST /mcp',
    'POST /mcp HTTP/0.9',
    'POST /mcp HTTP/1.0',
    'POST /mcp HTTP/2.0',
  ])('is one request with the first line %j', async (start) => {
    const answers = await exchange(server.url, odd([LENGTH], MESSAGE, start));
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it.each([
    ['connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAA'],
    ['connection: upgrade', 'upgrade: websocket'],
    ['transfer-encoding: x, chunked'],
  ])('is served as it is with %s %s', async (...lines) => {
    const isChunked = lines[0]?.startsWith('transfer-encoding') === true;
    const bytes = isChunked ? odd(lines, chunks(HEX)) : odd([...lines, LENGTH], MESSAGE);
    expect((await exchange(server.url, bytes)).map(({ status }) => status)).toEqual([200]);
  });
});

/** What may happen to bytes on their way. */
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('flip'), at: fc.nat(2_000), with: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant('cut'), at: fc.nat(2_000), with: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('repeat'), at: fc.nat(2_000), with: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ kind: fc.constant('end'), at: fc.nat(2_000), with: fc.constant(0) }),
  fc.record({ kind: fc.constant('insert'), at: fc.nat(2_000), with: fc.nat(9) }),
);
const INSERTS = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  ':',
  '"',
  '\xff',
  'transfer-encoding: chunked\r\n',
];

function mutated(bytes: Buffer, changes: readonly { kind: string; at: number; with: number }[]): Buffer {
  let result = Buffer.from(bytes);
  for (const { kind, at: place, with: value } of changes) {
    const at = place % (result.length + 1);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    if (kind === 'flip' && after.length > 0) result[at] = (result[at] ?? 0) ^ value;
    if (kind === 'cut') result = Buffer.concat([before, after.subarray(value)]);
    if (kind === 'repeat') result = Buffer.concat([before, after.subarray(0, value), after]);
    if (kind === 'end') result = Buffer.from(before);
    if (kind === 'insert')
      result = Buffer.concat([before, Buffer.from(INSERTS[value] ?? '', 'latin1'), after]);
  }
  return result;
}

it('answers whatever becomes of a request in whole answers, never with a fault or a word that is not the reader’s', async () => {
  const uri = 'care-internal://ray/risk';
  const good = [
    modernBytes(token, 'resources/read', { uri }),
    modernBytes(token, 'tools/call', { name: 'whats_changed', arguments: {} }),
    legacyBytes(token, session, 'resources/read', { uri }),
    legacyBytes(token, session, 'resources/list', {}),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.nat(3),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      async (which, changes) => {
        const answers = await exchange(server.url, mutated(good[which] ?? Buffer.alloc(0), changes));
        for (const { status, body } of answers) {
          expect(status).toBeLessThan(500);
          for (const word of INTERNAL_WORDS) expect(body).not.toContain(word);
        }
      },
    ),
    { numRuns: 400 },
  );
});

it('answers requests that are sent at once in their order, each its own, however their bytes are cut', async () => {
  const kinds = [
    (id: number) => modernBytes(token, 'resources/read', { uri: URI }, id),
    (id: number) => modernBytes(token, 'resources/read', { uri: `care://ray/none-${id}` }, id),
    (id: number) => legacyBytes(token, session, 'resources/read', { uri: URI }, id),
    (id: number) => legacyBytes(token, session, 'ping', {}, id),
    (id: number) => modernBytes(token, 'prompts/list', {}, id),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(kinds.length - 1), { minLength: 2, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 12 }),
      async (asked, cuts) => {
        const wire = await Wire.open(server.url);
        let bytes = Buffer.concat(
          asked.map((kind, index) => kinds[kind]?.(1_000 + index) ?? Buffer.alloc(0)),
        );
        for (const cut of cuts) {
          wire.send(bytes.subarray(0, cut));
          bytes = bytes.subarray(cut);
          await new Promise((resolve) => setImmediate(resolve));
        }
        wire.send(bytes);
        const answers: Answer[] = [];
        for (const _ of asked)
          answers.push((await wire.answer()) ?? { status: 0, headers: new Map(), body: '{}' });
        expect(await wire.rest()).toEqual([]);
        expect(answers.map(({ body }) => (JSON.parse(body) as { id: unknown }).id)).toEqual(
          asked.map((_, index) => 1_000 + index),
        );
        for (const [index, { body }] of answers.entries()) {
          expect(body.includes('"contents"')).toBe([0, 2].includes(asked[index] ?? -1));
          if (asked[index] === 1) expect(body).toContain(`none-${1_000 + index}`);
        }
      },
    ),
    { numRuns: 40 },
  );
});

describe('a client that behaves badly', () => {
  it('may send one byte at a time, while others are served', async () => {
    const slow = await Wire.open(server.url);
    const bytes = modernBytes(token, 'resources/read', { uri: URI }, 77);
    const half = Math.floor(bytes.length / 2);
    for (const at of bytes.subarray(0, half).keys()) slow.send(bytes.subarray(at, at + 1));
    expect((await ask(server.url, modernBytes(token, 'resources/read', { uri: URI }, 78))).status).toBe(200);
    for (let at = half; at < bytes.length; at += 1) slow.send(bytes.subarray(at, at + 1));
    expect(JSON.parse((await slow.answer())?.body ?? '')).toMatchObject({ id: 77, result: {} });
  });

  it('may leave in the middle of anything, with a reset or without', async () => {
    const whole = modernBytes(token, 'resources/read', { uri: URI });
    const stream = modernBytes(token, 'subscriptions/listen', {
      notifications: { resourceSubscriptions: [URI] },
    });
    for (let round = 0; round < 30; round += 1) {
      await Promise.all(
        [whole, stream, Buffer.concat([whole, whole, whole])].map(async (bytes) => {
          const at = 1 + ((round * 37) % bytes.length);
          const [cut, full, gone] = await Promise.all([1, 2, 3].map(() => Wire.open(server.url)));
          cut?.send(bytes.subarray(0, at)).socket.resetAndDestroy();
          full?.send(bytes).socket.resetAndDestroy();
          gone?.send(bytes).socket.destroy();
          await Promise.all([cut?.over, full?.over, gone?.over]);
        }),
      );
    }
    // The places of the streams are free again, or there were none left for more.
    const opened = await Promise.all(
      Array.from({ length: 60 }, () => followRaw('modern', server.url, token, [URI])),
    );
    expect(opened.map(({ response }) => response.status)).toEqual(opened.map(() => 200));
    for (const one of opened) one.close();
  });

  it('may have thousands of connections that say nothing or little', async () => {
    const held = await Promise.all(Array.from({ length: 500 }, () => Wire.open(server.url)));
    for (const [index, wire] of held.entries()) if (index % 2 === 0) wire.send('POST /mcp HTTP/1.1\r\nho');
    for (let round = 0; round < 30; round += 1) {
      const brief = await Promise.all(Array.from({ length: 100 }, () => Wire.open(server.url)));
      for (const wire of brief) wire.socket.destroy();
    }
    const { body } = await ask(server.url, modernBytes(token, 'resources/read', { uri: URI }, 5));
    expect(JSON.parse(body)).toMatchObject({ id: 5, result: {} });
    for (const wire of held) wire.socket.destroy();
  });
});
