import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  ROOT,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';

const MASTER_KEY = '5ea1ed0f'.repeat(8);
const CLIP = Buffer.from('a clip that was recorded on a rainy cobblestone tuesday');
const SECRETS: Readonly<Record<string, string | Buffer>> = {
  topic: 'heliotrope-quarrel',
  value: 'Zwölf Schritte am Geländer, marmalade xylophone.',
  correction: 'Elf Schritte ohne Geländer, marmalade xylophone.',
  author: 'author-obsidian-kestrel',
  label: 'the tangerine gondolier',
  clip: CLIP,
  demonstration: 'weight_bearing',
};
const folder = temporaryFolder();

afterAll(() => removeFolder(folder));

/** Writes, corrects, repeats, refuses, reads and stops, and gives all that is left on the disk and was said. */
async function leavings(data: string, settings: Record<string, string>): Promise<Record<string, Buffer>> {
  const server = await startServer(data, settings);
  try {
    const uri = `care://ray/${SECRETS.topic}`;
    const more = {
      authorId: SECRETS.author,
      authorLabel: SECRETS.label,
      blob: { mediaType: 'audio/wav', base64: CLIP.toString('base64') },
    };
    for (const [index, value] of [SECRETS.value, SECRETS.correction].entries()) {
      for (const seconds of [0, 1]) {
        const at = Date.now() + (2 * index + seconds) * 1000;
        const write = signed(writeBody(uri, String(value), more), { at });
        const headers = { ...write.headers, 'idempotency-key': `key-${index}` };
        expect((await send(server.url, { ...write, headers })).status).toBe(201);
      }
    }
    const refused = await send(server.url, signed(writeBody(`care-internal://ray/${SECRETS.topic}`, 'x')));
    expect(refused.status).toBe(409);
    const token = await server.mint('care.read.user');
    const verified = await fetch(`${server.url}/verify`, { headers: { authorization: `Bearer ${token}` } });
    expect(await verified.text()).toContain(uri);
    const left = { ...filesOf(data, 'open '), output: said(server) };
    await server.kill();
    return { ...left, ...filesOf(data, 'closed ') };
  } catch (error) {
    await server.kill();
    throw error;
  }
}

function filesOf(data: string, when: string): Record<string, Buffer> {
  const names = readdirSync(data).filter((name) => name !== 'control.sock');
  return Object.fromEntries(names.map((name) => [when + name, readFileSync(join(data, name))]));
}

function said(server: RunningServer): Buffer {
  return Buffer.from(`${server.lines.join('\n')}\n${server.faults()}`);
}

/** The places in which a secret stands, as it is, in hex or in base64. */
function placesOf(secret: string | Buffer, left: Record<string, Buffer>): string[] {
  const plain = Buffer.from(secret as string);
  const spellings = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), plain])
      .toString('base64')
      .replaceAll('=', '');
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + plain.length) * 8) / 6));
  });
  const found = ([, bytes]: [string, Buffer]): boolean =>
    bytes.includes(plain) ||
    bytes.includes(plain.toString('hex')) ||
    spellings.some(
      (text) => bytes.includes(text) || bytes.includes(text.replaceAll('+', '-').replaceAll('/', '_')),
    );
  return Object.entries(left)
    .filter(found)
    .map(([name]) => name);
}

function unsay(
  args: readonly string[],
  data: string,
  settings: Record<string, string> = {},
): Promise<CommandResult> {
  const node = join(ROOT, 'node_modules/.bin/node');
  return run(node, ['apps/unsay/src/cli/unsay.ts', ...args], testEnvironment(data, settings));
}

describe('what a server leaves behind', () => {
  it('has nothing in it that identifies: no value, topic, author, label, clip or key', async () => {
    const left = await leavings(join(folder, 'sealed'), { UNSAY_MASTER_KEY: MASTER_KEY });
    expect(Object.keys(left)).toEqual(
      expect.arrayContaining(['open unsay.db', 'open unsay.db-wal', 'closed unsay.db', 'output']),
    );
    const key = Buffer.from(MASTER_KEY, 'hex');
    for (const secret of [...Object.values(SECRETS), MASTER_KEY, key]) {
      expect([String(secret), placesOf(secret, left)]).toEqual([String(secret), []]);
    }
    // The key came from outside, so none is kept beside what it opens.
    expect(existsSync(join(folder, 'sealed', 'master-key'))).toBe(false);
  });

  it('has all of it in it when the store is in plain bytes, so the search can fail', async () => {
    const left = await leavings(join(folder, 'plain'), { UNSAY_KEY_PROVIDER: 'none' });
    for (const secret of Object.values(SECRETS)) {
      expect(placesOf(secret, left)).toEqual(expect.arrayContaining(['open unsay.db-wal']));
    }
    expect(left.output?.toString()).toContain('facts stored as PLAINTEXT');
  });
});

describe('GET /verify', () => {
  interface Sealed {
    readonly provider: string;
    readonly keyId: string;
    readonly nonce: string;
    readonly tag: string;
  }

  async function sealsOf(
    settings: Record<string, string>,
  ): Promise<{ seals: (Sealed | null)[]; line: string }> {
    const server = await startServer(join(folder, `verify ${settings.UNSAY_KEY_PROVIDER}`), settings);
    try {
      const answer = await (await fetch(`${server.url}/verify`)).json();
      const { chains } = answer as { chains: { intact: boolean; versions: { sealed: Sealed | null }[] }[] };
      expect(chains.every(({ intact }) => intact)).toBe(true);
      return {
        seals: chains.flatMap(({ versions }) => versions.map(({ sealed }) => sealed)),
        line: server.lines.find((line) => line.startsWith('Unsay: ')) ?? '',
      };
    } finally {
      await server.kill();
    }
  }

  it('names provider, key, nonce and tag of each version', async () => {
    const { seals, line } = await sealsOf({ UNSAY_KEY_PROVIDER: 'local' });
    const keyId = /sealed by local key ([0-9a-f]{16}),/.exec(line)?.[1];
    expect(seals.length).toBeGreaterThanOrEqual(6);
    for (const seal of seals) {
      expect(seal).toEqual({
        provider: 'local',
        keyId,
        nonce: expect.stringMatching(/^[0-9a-f]{24}$/),
        tag: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
    }
    expect(new Set(seals.map((seal) => seal?.nonce)).size).toBe(seals.length);
  });

  it('has nothing to name where nothing is sealed', async () => {
    const { seals, line } = await sealsOf({ UNSAY_KEY_PROVIDER: 'none' });
    expect(line).toContain('facts stored as PLAINTEXT,');
    expect(new Set(seals)).toEqual(new Set([null]));
  });
});

describe('a start with another key than the store was made with', () => {
  const data = join(folder, 'kept');
  const file = join(data, 'master-key');
  const write = ['write', 'care://ray/wound', '--value', 'Dry dressing.', '--author', 'me'];

  beforeAll(async () => {
    await (await startServer(data)).stop();
  });

  it('keeps the key that the first start made', async () => {
    expect((await unsay(write, data)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect((await unsay(['read', 'care://ray/wound'], data)).stdout).toBe('Dry dressing.\n');
  });

  it.each<[string, Record<string, string>]>([
    ['another master key', { UNSAY_MASTER_KEY: MASTER_KEY }],
    ['no keys', { UNSAY_KEY_PROVIDER: 'none' }],
  ])('is refused in one sentence and reads nothing: %s', async (_what, settings) => {
    const refused = await unsay(['read', 'care://ray/wound'], data, settings);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^The store [^\n]*unsay\.db [^\n]*another data folder\.\n$/);
    expect(refused.stderr).not.toContain(MASTER_KEY);
  });

  it('is refused keys for a store that was made without', async () => {
    const plain = join(folder, 'made without');
    await (await startServer(plain, { UNSAY_KEY_PROVIDER: 'none' })).stop();
    const refused = await unsay(['read', 'care://ray/wound'], plain);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^The store [^\n]* made with the key provider none[^\n]*\.\n$/);
    expect(existsSync(join(plain, 'master-key'))).toBe(false);
  });

  it('is refused without the key file, and makes no new one', async () => {
    copyFileSync(file, join(folder, 'key copy'));
    rmSync(file);
    const refused = await unsay(['read', 'care://ray/wound'], data);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^The store [^\n]*master-key[^\n]*UNSAY_MASTER_KEY\.\n$/);
    expect(existsSync(file)).toBe(false);
  });

  it('is refused a key file that holds no key', async () => {
    writeFileSync(file, 'not a key\n', { mode: 0o600 });
    const refused = await unsay(['read', 'care://ray/wound'], data);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^The file master-key [^\n]*\.\n$/);
    expect(refused.stderr).not.toContain('not a key');
  });

  it('reads again once the key is back, as a file or as a setting', async () => {
    copyFileSync(join(folder, 'key copy'), file);
    expect((await unsay(['read', 'care://ray/wound'], data)).stdout).toBe('Dry dressing.\n');
    const key = readFileSync(file, 'utf8').trim();
    rmSync(file);
    const read = await unsay(['read', 'care://ray/wound'], data, { UNSAY_MASTER_KEY: key.toUpperCase() });
    expect(read.stdout).toBe('Dry dressing.\n');
  });
});

it('unsay config says who seals, and where that comes from, and shows no key', async () => {
  const shown = await unsay(['config', '--json'], join(folder, 'nowhere'), { UNSAY_MASTER_KEY: MASTER_KEY });
  expect(shown.stdout).not.toContain(MASTER_KEY);
  const { settings } = JSON.parse(shown.stdout) as { settings: Record<string, string>[] };
  const of = (name: string): unknown => settings.find(({ setting }) => setting === name);
  expect(of('UNSAY_KEY_PROVIDER')).toMatchObject({ value: 'local', origin: 'default' });
  expect(of('UNSAY_MASTER_KEY')).toMatchObject({ value: '(secret)', origin: 'environment' });
});
