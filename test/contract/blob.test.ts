import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Era } from '../harness/era-client.ts';
import { modernHeaders, modernMessage, openSession, post } from '../harness/raw-mcp.ts';
import {
  ROOT,
  type RunningServer,
  removeFolder,
  startServer,
  temporaryFolder,
} from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { CARD, EVERYTHING, READ_BOTH } from './demonstration.ts';

const URI = 'care-internal://ray/trace';
const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, at) => (at * 7) % 256));

interface Content {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

interface Listed {
  readonly uri: string;
  readonly size?: number;
}

const folder = temporaryFolder();
let server: RunningServer;
let full: string;
let speaker: string;

beforeAll(async () => {
  server = await startServer(folder);
  full = await server.mint(READ_BOTH);
  speaker = await server.mint('care.read.user');
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

const base64 = BYTES.toString('base64');
const write = (uri: string, value: string, more: object = {}): Promise<Response> =>
  send(server.url, signed(writeBody(uri, value, { ...more })));

async function ask(era: Era, token: string, method: string, params: Record<string, unknown>): Promise<Reply> {
  if (era === 'modern') {
    const name = typeof params.uri === 'string' ? params.uri : undefined;
    const answer = await post(server.url, modernMessage(method, params), modernHeaders(token, method, name));
    return (await answer.json()) as Reply;
  }
  return (await (await openSession(server.url, token)).send(method, params)).json() as Promise<Reply>;
}

interface Reply {
  readonly result?: {
    readonly contents?: readonly Content[];
    readonly resources?: readonly Listed[];
    readonly nextCursor?: string;
  };
  readonly error?: { readonly code: number };
}

async function listed(token: string): Promise<Map<string, number | undefined>> {
  const sizes = new Map<string, number | undefined>();
  let cursor: string | undefined;
  do {
    const { result } = await ask('modern', token, 'resources/list', cursor === undefined ? {} : { cursor });
    for (const { uri, size } of result?.resources ?? []) sizes.set(uri, size);
    cursor = result?.nextCursor;
  } while (cursor !== undefined);
  return sizes;
}

describe('the clips of the demonstration', () => {
  it('are the two files, each with its size in the list', async () => {
    const sizes = await listed(full);
    expect([...sizes.keys()]).toEqual([...EVERYTHING, CARD]);
    expect([...sizes].filter(([uri, size]) => uri !== CARD && size !== undefined)).toEqual([
      ['care://ray/exercises', 12_192],
      ['care://ray/gait', 24_190],
    ]);
  });

  it.each(['exercises', 'gait'])('ride with the words of %s, byte for byte', async (topic) => {
    const uri = `care://ray/${topic}`;
    const file = readFileSync(join(ROOT, `apps/unsay/src/domain/clips/${topic}.wav`));
    const { result } = await ask('modern', speaker, 'resources/read', { uri });
    const [words, clip] = result?.contents ?? [];
    expect([words?.mimeType, clip?.uri, clip?.mimeType]).toEqual(['text/plain', uri, 'audio/wav']);
    expect(Buffer.from(clip?.blob ?? '', 'base64').equals(file)).toBe(true);
  });
});

describe.each<Era>(['modern', 'legacy'])('a blob, in the %s era', (era) => {
  const uri = `${URI}-${era}`;

  it('is read after the words, under the same right and with the same standing', async () => {
    const answer = await write(uri, 'A trace.', { blob: { mediaType: 'audio/wav', base64 } });
    expect(answer.status).toBe(201);
    const { result } = await ask(era, full, 'resources/read', { uri });
    expect(result?.contents).toMatchObject([
      { uri, mimeType: 'text/plain', text: 'A trace.' },
      { uri, mimeType: 'audio/wav', blob: base64 },
    ]);
    for (const { _meta } of result?.contents ?? []) {
      expect(_meta).toMatchObject({
        'unsay/audience': 'assistant',
        'unsay/version': 1,
        'unsay/stale': false,
      });
    }
  });

  it('is absent with the words to whoever may not read them', async () => {
    const refused = await ask(era, speaker, 'resources/read', { uri });
    const absent = await ask(era, speaker, 'resources/read', { uri: 'care-internal://ray/none' });
    expect(refused.error?.code).toBe(era === 'modern' ? -32602 : -32002);
    expect(JSON.stringify(refused).replaceAll(uri, '')).toBe(
      JSON.stringify(absent).replaceAll('care-internal://ray/none', ''),
    );
  });

  it('is not kept by a revision that has none, and stays with its own version', async () => {
    expect((await write(uri, 'No trace now.')).status).toBe(201);
    expect((await ask(era, full, 'resources/read', { uri })).result?.contents).toHaveLength(1);
    expect((await ask(era, full, 'resources/read', { uri: `${uri}/v1` })).result?.contents).toMatchObject([
      { text: 'A trace.' },
      { blob: base64 },
    ]);
    expect((await listed(full)).get(uri)).toBeUndefined();
  });
});

describe('the ceiling', () => {
  it('takes 128 KiB, and says what it is to one byte more', async () => {
    const uri = 'care://ray/long_clip';
    const sized = (length: number): object => {
      return { blob: { mediaType: 'audio/wav', base64: Buffer.alloc(length, 1).toString('base64') } };
    };
    expect((await write(uri, 'Long.', sized(131_072))).status).toBe(201);
    expect((await listed(full)).get(uri)).toBe(131_072);
    const refused = await write(uri, 'Longer.', sized(131_073));
    expect([refused.status, await refused.json()]).toEqual([
      413,
      expect.objectContaining({
        code: 'body_too_large',
        detail: expect.stringContaining('131072'),
        next: expect.stringContaining('UNSAY_BLOB_LIMIT'),
      }),
    ]);
  });

  it('is a setting, and a seed beyond it goes without its clips', async () => {
    const other = temporaryFolder();
    const strict = await startServer(other, { UNSAY_BLOB_LIMIT: '20000' });
    expect(strict.faults()).toBe('');
    const lines = ((await strict.operate('read', { uri: 'care://ray/gait' })) as { version: number }).version;
    const clip = { mediaType: 'audio/wav', base64: Buffer.alloc(20_001).toString('base64') };
    const answer = await send(strict.url, signed(writeBody('care://ray/gait', 'x', { blob: clip })));
    const { chains } = (await (await fetch(`${strict.url}/verify`)).json()) as {
      chains: { intact: boolean }[];
    };
    await strict.kill();
    removeFolder(other);
    expect([lines, answer.status]).toEqual([1, 413]);
    expect(chains.every(({ intact }) => intact)).toBe(true);
  });
});

it('a blob is committed to by the hash of its version and survives a restart', async () => {
  const uri = 'care://ray/kept';
  await write(uri, 'Kept.', { blob: { mediaType: 'audio/wav', base64 } });
  await server.kill();
  server = await startServer(folder);
  full = await server.mint(READ_BOTH);
  const { result } = await ask('modern', full, 'resources/read', { uri });
  const digest = (text: string): string =>
    createHash('sha256').update(Buffer.from(text, 'base64')).digest('hex');
  expect(digest(result?.contents?.[1]?.blob ?? '')).toBe(digest(base64));
  const { chains } = (await (await fetch(`${server.url}/verify?topic=kept`)).json()) as { chains: object[] };
  expect(chains).toMatchObject([{ intact: true }]);
});
