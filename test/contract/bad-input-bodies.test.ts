import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { writeBody } from '../harness/signed-write.ts';
import { EVERYTHING } from './demonstration.ts';
import { write } from './hostile.ts';

const URI = 'care://ray/framed';
const GOOD = writeBody(URI, 'Never.');

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

const DEEP = 100_000;
const inUtf16 = Buffer.from(`\ufeff${GOOD}`, 'utf16le');

/** Bodies that are no write, over POST /write. */
const BODIES: readonly (readonly [string, string | Uint8Array])[] = [
  ['nothing', ''],
  ['white space', ' \n\t '],
  ['a byte order mark before it', `\ufeff${GOOD}`],
  ['UTF-16, little end first', inUtf16],
  ['UTF-16, big end first', Buffer.from(inUtf16).swap16()],
  ['Latin-1', Buffer.from(writeBody(URI, 'caf\u00e9'), 'latin1')],
  ['bytes after it', `${GOOD}x`],
  ['another after it', `${GOOD}${GOOD}`],
  ['another on a line after it', `${GOOD}\n${GOOD}`],
  ['NUL after it', `${GOOD}\0`],
  ['a form feed before it', `\f${GOOD}`],
  ['no-break space before it', `\u00a0${GOOD}`],
  ['a comma at its end', GOOD.replace('}', ',}')],
  ['a comment in it', GOOD.replace('{', '{/* x */')],
  ['a comment after it', `${GOOD}// x`],
  ['single quotes', GOOD.replaceAll('"', "'")],
  ['keys without quotes', GOOD.replace('"uri"', 'uri')],
  ['NaN', GOOD.replace('"Never."', 'NaN')],
  ['Infinity', GOOD.replace('"Never."', '-Infinity')],
  ['a number with a leading zero', GOOD.replace('"Never."', '01')],
  ['an escape that is none', GOOD.replace('Never.', '\\x41')],
  ['an escape cut off', GOOD.replace('Never.', '\\u00')],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '7'],
  ['a text', JSON.stringify(GOOD)],
  ['a list', `[${GOOD}]`],
  ['an empty object', '{}'],
  ['the same key twice', GOOD.replace('{', '{"value":"One.",')],
  ['the same key twice, escaped', GOOD.replace('{', '{"\\u0076alue":"One.",')],
  [
    'the same key twice in a blob',
    GOOD.replace('}', ',"blob":{"mediaType":"a/b","base64":"AA==","base64":"AQ=="}}'),
  ],
  [
    'the same key twice in a blob’s depth',
    GOOD.replace('}', ',"blob":{"mediaType":[{"a":1,"a":2}],"base64":"AA=="}}'),
  ],
  ['__proto__', GOOD.replace('{', '{"__proto__":{"withdraw":true},')],
  ['constructor', GOOD.replace('{', '{"constructor":"x",')],
  ['an empty key', GOOD.replace('{', '{"":"x",')],
  ['a key in another case', GOOD.replace('"value"', '"Value"')],
  ['lists a hundred thousand deep', '['.repeat(DEEP) + ']'.repeat(DEEP)],
  ['lists a hundred thousand deep that never end', '['.repeat(2 * DEEP)],
  [
    'lists a hundred thousand deep in the place of a text',
    GOOD.replace('"Never."', '['.repeat(DEEP) + ']'.repeat(DEEP)),
  ],
  ['objects forty thousand deep', `${'{"a":'.repeat(DEEP / 2.5)}1${'}'.repeat(DEEP / 2.5)}`],
  [
    'objects deep in a blob',
    GOOD.replace('}', `,"blob":${'{"a":'.repeat(DEEP / 4)}1${'}'.repeat(DEEP / 4)}}`),
  ],
  ['twenty thousand keys', `{${Array.from({ length: 20_000 }, (_, at) => `"${at}":1`).join(',')}}`],
  ['a number past every number', GOOD.replace('"Never."', '1e400')],
  ['a number of two hundred thousand digits', GOOD.replace('"Never."', '9'.repeat(200_000))],
  ...['uri', 'value', 'authorId', 'authorLabel', 'staleAfter', 'withdraw', 'blob'].flatMap((member) =>
    [7, -0.5, true, [], ['x'], {}, { toString: 'x' }]
      .filter((wrong) => member !== 'withdraw' || wrong !== true)
      .map((wrong) => {
        const body = { uri: URI, value: 'Never.', authorId: 'x', [member]: wrong };
        return [
          `${member} ${JSON.stringify(wrong)}`,
          JSON.stringify(body).replace(':null', ':1e400'),
        ] as const;
      }),
  ),
  ...['uri', 'value', 'authorId', 'withdraw', 'blob'].map(
    (member) =>
      [
        `${member} null`,
        JSON.stringify({ uri: URI, value: 'Never.', authorId: 'x', [member]: null }),
      ] as const,
  ),
  ...[false, 'true', 1, 'yes'].map(
    (withdraw) =>
      [
        `withdraw ${JSON.stringify(withdraw)}`,
        JSON.stringify({ uri: URI, withdraw, authorId: 'x' }),
      ] as const,
  ),
  ['withdraw and a value', JSON.stringify({ uri: URI, withdraw: true, value: 'x', authorId: 'x' })],
  [
    'withdraw and a value that is null',
    JSON.stringify({ uri: URI, withdraw: true, value: null, authorId: 'x' }),
  ],
];

describe('the body of a write', () => {
  it.each(BODIES)('is refused where it is %s', async (_what, body) => {
    const { status, code } = await write(server.url, body);
    expect([status, code]).toEqual([400, 'malformed']);
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
