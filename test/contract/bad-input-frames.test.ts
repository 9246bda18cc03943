import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { writeBody } from '../harness/signed-write.ts';
import { EVERYTHING } from './demonstration.ts';
import { CODES, type Frame, sendRaw, shown, write } from './hostile.ts';

const GOOD = writeBody('care://ray/framed', 'Never.');
const HASH = 'a'.repeat(64);

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

describe('the frame of a write', () => {
  it.each<[string, Frame, number, string]>([
    ...[
      '1764579600.0',
      '-1',
      '1e9',
      '+1764579600',
      '0x692d',
      '1764579600junk',
      '1764579600000',
      'NaN',
      'Infinity',
      '1_764_579_600',
      '1,764,579,600',
      '9'.repeat(4000),
    ].map((timestamp): [string, Frame, number, string] => [
      `timestamp ${shown(timestamp)}`,
      { timestamp },
      400,
      'malformed',
    ]),
    ...['0', '1', '999999999999', '000000000000', '176457960'].map(
      (timestamp): [string, Frame, number, string] => [
        `timestamp ${shown(timestamp)}`,
        { timestamp },
        401,
        'stale_timestamp',
      ],
    ),
    ...[
      '',
      '*',
      HASH,
      `"${HASH}`,
      `W/"${HASH}"`,
      `"${HASH}", "${HASH}"`,
      `"${HASH.toUpperCase()}"`,
      `"${HASH.slice(1)}"`,
      `"${HASH}a"`,
      `'${HASH}'`,
      '"null"',
      '"0"',
      `"${'a'.repeat(10_000)}"`,
    ].map((ifMatch): [string, Frame, number, string] => [
      `if-match ${shown(ifMatch)}`,
      { ifMatch },
      400,
      'malformed',
    ]),
    ...['', 'two words', 'tab\tinside', 'latin-1 \u00e9', 'k'.repeat(256), 'k'.repeat(10_240)].map(
      (key): [string, Frame, number, string] => [
        `idempotency-key ${shown(key)}`,
        { headers: { 'idempotency-key': key } },
        400,
        'malformed',
      ],
    ),
    ...[
      'text/json',
      'application/jsonx',
      'application/json; charset=utf-16',
      'application/json; charset=iso-8859-1',
      'application/json; charset=utf-8; x=y',
      'application/json, text/plain',
      'application/problem+json',
      'multipart/form-data',
      '*/*',
      '',
    ].map((type): [string, Frame, number, string] => [
      `content-type ${type}`,
      { headers: { 'content-type': type } },
      415,
      'unsupported_media_type',
    ]),
    ...['gzip', 'identity, gzip', 'deflate', 'br', ''].map((encoding): [string, Frame, number, string] => [
      `content-encoding ${encoding}`,
      { headers: { 'content-encoding': encoding } },
      415,
      'unsupported_media_type',
    ]),
    ...['v1=', `v2=${HASH}`, HASH, `v1=${HASH}, v1=${HASH}`, `v1=${HASH}0`, `v1= ${HASH}`, `V1=${HASH}`].map(
      (signature): [string, Frame, number, string] => [
        `signature ${signature}`,
        { headers: { 'x-unsay-signature': signature } },
        400,
        'malformed',
      ],
    ),
  ])('is refused with the %s', async (_what, frame, status, code) => {
    const answer = await write(server.url, GOOD, frame);
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  it.each(
    ['a\0b', 'a\x01b', 'a\x7fb', 'a\nb', 'a\rb', 'a\x1bb', '\u00ff', 'k'.repeat(20_000)].map((value) => [
      shown(value),
      value,
    ]),
  )('is refused with a header that no client library would send: %s', async (_shown, value) => {
    for (const name of [
      'idempotency-key',
      'if-match',
      'x-unsay-timestamp',
      'x-unsay-signature',
      'authorization',
    ]) {
      const head = [
        'POST /write HTTP/1.1',
        'host: localhost',
        'content-type: application/json',
        'content-length: 2',
      ];
      const answer = await sendRaw(server.url, [...head, `${name}: ${value}`], '{}');
      expect([name, answer.status >= 400 && answer.status < 500, CODES.has(answer.code ?? '')]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });

  it.each([
    ['content-length: -1'],
    ['content-length: 1e3'],
    ['content-length: 18446744073709551616'],
    ['content-length: 2', 'content-length: 3'],
    ['content-length: 2', 'transfer-encoding: chunked'],
    ['transfer-encoding: gzip'],
    ['transfer-encoding: chunked, identity'],
    [' folded: header'],
    ['no colon'],
    [': no name'],
    ['na me: space'],
  ])('is refused with the framing %s %s', async (...lines) => {
    const head = ['POST /write HTTP/1.1', 'host: localhost', 'content-type: application/json'];
    const { status, code } = await sendRaw(server.url, [...head, ...lines], '{}');
    expect([status, code]).toEqual([400, 'malformed']);
  });

  it.each([
    ['no Host', ['GET /healthz HTTP/1.1']],
    ['no Host, in HTTP/1.0', ['GET /healthz HTTP/1.0']],
    ['two Hosts', ['GET /healthz HTTP/1.1', 'host: localhost', 'host: localhost']],
    ['two Hosts that differ', ['GET /healthz HTTP/1.1', 'host: localhost', 'host: evil.example']],
    ['another protocol', ['PRI * HTTP/2.0']],
    ['a version that there is not', ['GET /healthz HTTP/7.7', 'host: localhost']],
    ['a method that there is not', ['FETCH /healthz HTTP/1.1', 'host: localhost']],
    ['a greeting', ['EHLO localhost']],
    ['the start of TLS', ['\x16\x03\x01\x02\x00\x01']],
    ['four thousand headers', ['GET /healthz HTTP/1.1', 'host: localhost', ...Array(4000).fill('x: 1')]],
  ])('is refused in words where there is %s', async (_what, head) => {
    const { status, code, body } = await sendRaw(server.url, head);
    expect([status, code, body.next]).toEqual([400, 'malformed', expect.stringMatching(/\w+ \w+/)]);
  });

  it('may expect what nobody knows', async () => {
    const head = ['GET /verify?subject=x HTTP/1.1', 'host: localhost', 'expect: nonsense'];
    expect(await sendRaw(server.url, head)).toMatchObject({ status: 200, body: { chains: [] } });
  });

  it.each(['k', 'k'.repeat(255), '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'].map((key) => [shown(key), key]))(
    'is good with the idempotency-key %s',
    async (_shown, key) => {
      const body = writeBody('care://ray/keyed', `Said under ${key}.`);
      const [first, again] = [
        await write(server.url, body, { headers: { 'idempotency-key': key } }),
        await write(server.url, body, { headers: { 'idempotency-key': key } }),
      ];
      expect([first.status, again]).toEqual([201, first]);
    },
  );
});

it('none of it left anything in the store, or on standard error', async () => {
  const uris = [...EVERYTHING, 'care://ray/keyed'].sort();
  const exported = await server.exported();
  const found = exported.filter(({ type }) => type === 'fact').map(({ uri }) => uri);
  expect(found).toEqual(uris);
  expect(await server.operate('verify')).toMatchObject({ intact: true, chains: 9, versions: 12 });
  expect(await server.operate('audit')).toMatchObject({ intact: true });
  expect(server.faults()).toBe('');
});
