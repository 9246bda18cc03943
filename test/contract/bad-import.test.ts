import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish, send, signed, writeBody } from '../harness/signed-write.ts';

const folder = temporaryFolder();
const file = join(folder, 'mutated.jsonl');
let stores = 0;
/** A server on an empty store. What it refuses to import leaves it empty, so one serves for all of that. */
let target: RunningServer;
let lines: readonly string[];
let foreign: readonly string[];

beforeAll(async () => {
  lines = await exportOf('Rest today.');
  foreign = await exportOf('Walk today.');
  target = await emptyServer();
});

afterAll(async () => {
  await target?.kill();
  removeFolder(folder);
});

function emptyServer(): Promise<RunningServer> {
  stores += 1;
  return startServer(join(folder, `store-${stores}`), { UNSAY_SEED: 'none' });
}

/** The lines of a small export that has every type of line. */
async function exportOf(words: string): Promise<readonly string[]> {
  const server = await emptyServer();
  const { url } = server;
  const blob = { mediaType: 'audio/wav', base64: Buffer.from(words).toString('base64') };
  for (const body of [
    writeBody('care://ray/wound', words),
    writeBody('care://ray/wound', `${words} And tomorrow.`, { staleAfter: '2030-01-01T00:00:00Z', blob }),
    writeBody('care-internal://ray/risk', words, { authorLabel: 'the test team' }),
    writeBody('care://mia/diet', words),
    JSON.stringify({ uri: 'care://mia/diet', withdraw: true, authorId: 'test-author' }),
  ]) {
    expect((await send(url, signed(body))).status).toBe(201);
  }
  expect((await send(url, signed(writeBody('care://ray/risk', words)))).status).toBe(409);
  // More of one kind in a minute than get a row each: the rest is counted.
  for (let count = 0; count < 25; count += 1)
    await fetch(`${url}/write`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
  const { stdout } = await server.unsay('export');
  await server.kill();
  const exported = stdout.split(/(?<=\n)/);
  expect(new Set(exported.map(typeOf))).toEqual(
    new Set(['header', 'fact', 'lane', 'audit', 'counted', 'version', 'trailer']),
  );
  return exported;
}

function typeOf(line: string): string {
  return /"type":"([a-z]+)"/.exec(line)?.[1] ?? 'none';
}

/** What is done to the line at a place: every line of an export, with nothing else of it changed. */
const MUTATIONS: Readonly<Record<string, (at: number) => readonly string[]>> = {
  'is dropped': (at) => lines.toSpliced(at, 1),
  'is there twice': (at) => lines.toSpliced(at, 0, lines[at] ?? ''),
  'changes places with the next': (at) => lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
  'is cut off': (at) => lines.toSpliced(at, 1, `${lines[at]?.slice(0, -20)}\n`),
  'ends the file in its middle': (at) => [...lines.slice(0, at), lines[at]?.slice(0, 20) ?? ''],
  'has a byte of it changed near its start': (at) => lines.toSpliced(at, 1, withByte(lines[at], 0.1)),
  'has a byte of it changed in its middle': (at) => lines.toSpliced(at, 1, withByte(lines[at], 0.5)),
  'has a byte of it changed near its end': (at) => lines.toSpliced(at, 1, withByte(lines[at], 0.9)),
  'is one of another store': (at) => lines.toSpliced(at, 1, strangerFor(at)),
};

// A letter or digit becomes another one, so that most lines stay what they are but for what they say.
function withByte(line = '', part: number): string {
  const from = Math.floor(line.length * part);
  const at = from + Math.max(0, line.slice(from).search(/[a-z0-9]/));
  return `${line.slice(0, at)}${line[at] === 'a' ? 'b' : line[at] === '1' ? '2' : /\d/.test(line[at] ?? '') ? '1' : 'a'}${line.slice(at + 1)}`;
}

/** The line of the other store that stands nearest to a place and is of the same type. */
function strangerFor(at: number): string {
  const type = typeOf(lines[at] ?? '');
  const same = foreign.filter((line) => typeOf(line) === type);
  const nth = lines.slice(0, at).filter((line) => typeOf(line) === type).length;
  return same[Math.min(nth, same.length - 1)] ?? '';
}

/**
 * The types of the lines of which that shows to nobody, once the trailer is forged: none of them says anything of a
 * fact. It is the last row of the audit log that is dropped, and two versions of different lanes that change places.
 */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  'is dropped': ['audit', 'counted'],
  'is there twice': ['counted'],
  'changes places with the next': ['version'],
  'is one of another store': ['header'],
};

/** What was counted says when: within one minute two stores say the same of it, and there is nothing to notice. */
const isSameMinute = (): boolean =>
  lines.every((line, at) => typeOf(line) !== 'counted' || strangerFor(at) === line);

/** The file with a trailer that says what stands before it, as whoever forges one would write. */
function resealed(mutated: readonly string[]): string {
  const before = mutated.filter((line) => typeOf(line) !== 'trailer');
  const counts = Object.fromEntries(
    ['audit', 'counted', 'erased', 'fact', 'lane', 'meta', 'version'].map((type) => [
      type,
      before.filter((line) => typeOf(line) === type).length,
    ]),
  );
  const sha256 = createHash('sha256').update(before.join('')).digest('hex');
  return `${before.join('')}${JSON.stringify({ counts, sha256, type: 'trailer' })}\n`;
}

async function importText(text: string): Promise<Readonly<Record<string, unknown>>> {
  writeFileSync(file, text);
  return (await target.operate('import', { file })) as Record<string, unknown>;
}

describe.each(Object.keys(MUTATIONS))('an export of which a line %s', (mutation) => {
  const mutatedAt = (at: number): readonly string[] => MUTATIONS[mutation]?.(at) ?? [];

  it('is refused, whichever line it is', async () => {
    for (const at of lines.keys()) {
      const mutated = mutatedAt(at);
      if (mutated.join('') === lines.join('')) continue;
      expect([at, await importText(mutated.join(''))]).toEqual([
        at,
        { error: expect.stringContaining('is not an intact export'), next: 'Nothing was imported.' },
      ]);
    }
  });

  it('is refused, or is a whole store, when its trailer is forged too', async () => {
    const taken: string[] = [];
    for (const at of lines.keys()) {
      const text = resealed(mutatedAt(at));
      if (text === lines.join('')) continue;
      const { error } = await importText(text);
      if (error === undefined) {
        taken.push(lines[at] ?? '');
        expect(await target.operate('verify')).toMatchObject({ intact: true });
        expect(await publish(target.url, 'care://ray/after', 'Said after it.')).toMatchObject({ version: 1 });
        expect(await target.operate('audit')).toMatchObject({ intact: true });
        expect(target.faults()).toBe('');
        await target.kill();
        target = await emptyServer();
      } else expect(error).toMatch(/is not an intact export|may not be published here/);
    }
    const counted = mutation === 'is one of another store' && !isSameMinute() ? ['counted'] : [];
    expect([...new Set(taken.map(typeOf))].sort()).toEqual([...counted, ...(TAKEN[mutation] ?? [])]);
  });
});

/** An entry of the audit log that no store of ours would have written. */
const FORGED: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a reason with the bytes of a stranger', { reason: 'eyJhbGciOi' }],
  ['a reason with a space', { reason: 'two words' }],
  ['a reason that is too long', { reason: 'r'.repeat(33) }],
  ['a way in that is no word', { via: 'HMAC!' }],
  ['a URI with a version', { uri: 'care://ray/wound/v1' }],
  ['a URI that is none', { uri: 'https://evil.example/' }],
  ['an outcome that is none', { outcome: 'maybe' }],
  ['a count of nothing', { count: 0 }],
  ['a count below nothing', { count: -5 }],
  ['a count that is a fraction', { count: 1.5 }],
  ['a count past every number', { count: Number.MAX_VALUE }],
  ['a time that is none', { at: 'yesterday' }],
  ['a time in another spelling', { at: '2026-12-01T09:00:00Z' }],
  ['an actor of a megabyte', { actor: 'x'.repeat(1_000_000) }],
];

describe.each(['counted', 'audit'] as const)('an export with a forged %s line', (type) => {
  it.each(FORGED)(
    'that has %s is refused, or leaves a store that can be written to',
    async (_what, change) => {
      const at = lines.findLastIndex((line) => typeOf(line) === type);
      const { hash: _hash, ...row } = { ...JSON.parse(lines[at] ?? ''), ...change } as Record<
        string,
        unknown
      >;
      const { type: _type, ...linked } = { ...row, format: 'unsay-audit/1' } as Record<string, unknown>;
      const sorted = (object: object): string => JSON.stringify(object, Object.keys(object).sort());
      const hash = createHash('sha256').update(sorted(linked)).digest('hex');
      const forged = `${sorted(type === 'audit' ? { ...row, hash } : row)}\n`;
      const { error } = await importText(resealed(lines.toSpliced(at, 1, forged)));
      if (error !== undefined)
        return expect(error).toMatch(/is not an intact export|may not be published here/);
      expect(await target.operate('audit')).toMatchObject({ intact: true });
      expect(await publish(target.url, 'care://ray/after', 'Said after it.')).toMatchObject({ version: 1 });
      expect(await target.operate('audit')).toMatchObject({ intact: true });
      expect(target.faults()).toBe('');
      await target.kill();
      target = await emptyServer();
    },
  );
});

it('the export itself is then imported whole, through the command line', async () => {
  expect(await target.operate('verify')).toMatchObject({ chains: 0, versions: 0 });
  expect(await target.operate('audit')).toMatchObject({ rows: [], counted: [] });
  writeFileSync(file, lines.join(''));
  const imported = await target.unsay('import', file);
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  const versions = (all: readonly string[]): string[] => all.filter((line) => typeOf(line) === 'version');
  const { stdout } = await target.unsay('export');
  expect(versions(stdout.split(/(?<=\n)/))).toEqual(versions(lines));
  expect(target.faults()).toBe('');
});
