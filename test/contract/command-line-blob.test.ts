import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../harness/era-client.ts';
import {
  type CommandResult,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';

const LIMIT = 2000;
const URI = 'care://ray/gait';
const folder = temporaryFolder();
const bytes = Buffer.from(Array.from({ length: LIMIT }, (_, at) => (at * 11) % 256));
const settings = { UNSAY_BLOB_LIMIT: String(LIMIT) };
let server: RunningServer;

function file(name: string, content: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const clip = file('step.wav', bytes);
const tooLong = file('long.WAV', Buffer.concat([bytes, Buffer.of(0)]));
const empty = file('empty.wav', Buffer.alloc(0));
const other = file('step.bin', bytes);

beforeAll(async () => {
  mkdirSync(join(folder, 'folder.wav'));
  server = await startServer(join(folder, 'data'), settings);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

function write(...args: string[]): Promise<CommandResult> {
  return server.unsay('write', URI, '--author', 'x', ...args);
}

interface Content {
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
}

async function read(): Promise<readonly Content[]> {
  const client = await connect('modern', server.url, await server.mint('care.read.user'));
  const { contents } = await client.call('resources/read', { uri: URI });
  await client.close();
  return contents as Content[];
}

async function head(): Promise<unknown> {
  return ((await server.operate('read', { uri: URI })) as { versionHash: string }).versionHash;
}

async function lastRow(): Promise<unknown> {
  const { rows } = (await server.operate('audit')) as { rows: unknown[] };
  return rows.at(-1);
}

describe('unsay write --blob', () => {
  it.each([
    ['a .wav file, whose type its name says', [clip], 'audio/wav'],
    [
      'any file, with its type',
      [other, '--media-type', 'application/octet-stream'],
      'application/octet-stream',
    ],
    [
      'a .wav file that is said to be something else',
      [clip, '--media-type', 'audio/vnd.wave'],
      'audio/vnd.wave',
    ],
  ])('publishes %s, byte for byte up to the ceiling', async (what, args, mediaType) => {
    const written = await write('--value', what, '--blob', ...args);
    expect([written.code, written.stderr]).toEqual([0, '']);
    const [words, heard] = await read();
    expect(words?.text).toContain(what);
    expect([heard?.mimeType, heard?.blob]).toEqual([mediaType, bytes.toString('base64')]);
  });

  it.each([
    ['a byte over the ceiling', ['--value', 'x', '--blob', tooLong], 'body_too_large', `${LIMIT} bytes`],
    ['a file without bytes', ['--value', 'x', '--blob', empty], 'malformed', '--blob is empty'],
    [
      'a type that is none',
      ['--value', 'x', '--blob', clip, '--media-type', 'Audio/WAV'],
      'malformed',
      'media type',
    ],
    ['a withdrawal', ['--withdraw', '--blob', clip], 'malformed', 'a withdrawal has no clip'],
  ])('is refused like POST /write: %s', async (_what, args, reason, words) => {
    const before = await head();
    const refused = await write(...args);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(words) });
    expect(await lastRow()).toMatchObject({ outcome: 'refused', reason, via: 'control' });
    expect(await head()).toBe(before);
  });

  it('has the ceiling that POST /write has', async () => {
    const post = async (length: number): Promise<number> => {
      const blob = { mediaType: 'audio/wav', base64: Buffer.alloc(length, 7).toString('base64') };
      return (await send(server.url, signed(writeBody(URI, `${length}`, { blob })))).status;
    };
    expect([await post(LIMIT), await post(LIMIT + 1)]).toEqual([201, 413]);
  });

  it.each([
    ['a file that is not there', ['--blob', join(folder, 'none.wav')], 1, 'cannot be read'],
    ['a folder', ['--blob', join(folder, 'folder.wav')], 1, 'is not a file'],
    ['a device that never ends', ['--blob', '/dev/zero', '--media-type', 'audio/wav'], 1, 'is not a file'],
    ['a file of no known type', ['--blob', other], 2, '--media-type is needed'],
    ['a type without a file', ['--media-type', 'audio/wav'], 2, '--media-type is for --blob'],
  ])('asks for another file in place of %s, and tries nothing', async (_what, args, code, words) => {
    const before = await lastRow();
    const refused = await write('--value', 'x', ...args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toMatch(/^[^\n]+\n$/);
    expect(refused.stderr).toContain(words);
    expect(await lastRow()).toEqual(before);
  });

  it('works on a stopped server, under the settings of the command', async () => {
    const data = join(folder, 'stopped');
    const stopped = await startServer(data, settings);
    await stopped.stop();
    const on = (args: readonly string[], more: Readonly<Record<string, string>>): Promise<CommandResult> =>
      run('npm', ['run', '--silent', 'unsay', '--', ...args], testEnvironment(data, more));
    const args = ['write', URI, '--value', 'Said to a file.', '--author', 'x', '--blob'];
    expect(await on([...args, clip], settings)).toMatchObject({ code: 0, stderr: '' });
    expect(await on([...args, tooLong], settings)).toMatchObject({ code: 1, stdout: '' });
    const exported = (await on(['export'], settings)).stdout
      .split('\n')
      .find((line) => line.includes('to a file'));
    const { blob } = JSON.parse(exported ?? '') as { blob: { bytes: string } };
    expect(blob.bytes).toBe(bytes.toString('base64'));
  });
});
