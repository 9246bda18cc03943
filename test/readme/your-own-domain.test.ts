import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ROOT, removeFolder, temporaryFolder } from '../harness/running-server.ts';
import { blocks, type ClientGuide, codeOf, readGuide, writeCode } from './guide-code.ts';
import { namesOfTheDomain } from './names-of-the-domain.ts';

const guide = readGuide('your-own-domain');
const code = blocks(guide, 'ts');
const [printed = ''] = blocks(guide, 'text');
// What stands before the output is the domain; what comes after it serves it.
const own = code.slice(0, code.filter((block) => guide.indexOf(block) < guide.indexOf(printed)).length);

const SHOP = writeCode('your-own-domain/shop.ts', own.join('\n'));
const SERVED = writeCode('your-own-domain/served-shop.ts', code.join('\n'));
// The ages of a slow machine would be others than those of the page.
const ARGUMENTS = ['--import', 'data:text/javascript,const now = Date.now(); Date.now = () => now;'];

const folders: string[] = [];
function newFolder(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}
afterAll(() => folders.forEach(removeFolder));

function runShop(folder: string): { readonly status: number | null; readonly stdout: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...ARGUMENTS, SHOP, folder], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return { status, stdout };
}

describe('the domain of the guide', () => {
  it('is at most fifty lines', () => {
    const lines = own.flatMap((block) => block.split('\n')).filter((line) => line.trim() !== '');
    expect(lines.length).toBeLessThanOrEqual(50);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
  });

  it('prints what the guide says, on a store of its own', () => {
    expect(runShop(newFolder())).toEqual({ status: 0, stdout: printed });
  });

  it('goes on from what the last run stored, with every chain intact', () => {
    const folder = newFolder();
    runShop(folder);
    expect(runShop(folder).stdout.trimEnd().split('\n').slice(-2)).toEqual([
      'backroom://high_street/delivery versions: 2, intact: true',
      'hours://high_street/sunday versions: 6, intact: true',
    ]);
  });

  it('is well typed', () => {
    const config = writeCode(
      'your-own-domain/tsconfig.json',
      JSON.stringify({
        extends: '../../tsconfig.base.json',
        compilerOptions: { composite: false, emitDeclarationOnly: false, noEmit: true, rootDir: '../..' },
        files: ['shop.ts', 'served-shop.ts'],
      }),
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout, error } = spawnSync(process.execPath, [tsc, '-p', config], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(error).toBeUndefined();
    expect(stdout.split('\n').filter((line) => line.includes('your-own-domain'))).toEqual([]);
  });

  it('shares no name, scheme, scope, audience or topic with the one that comes with it', () => {
    const names = namesOfTheDomain();
    expect(names).toEqual(
      expect.arrayContaining(['carePartition', 'care-internal', 'care.write', 'ray', 'user']),
    );
    const statements = code.join('\n').replace(/^import .*$/gm, '');
    const text = statements + runShop(newFolder()).stdout;
    const words = new Set(text.match(/[\w.-]*\w/g));
    expect(words).toContain('hours.read');
    expect(names.filter((name) => words.has(name))).toEqual([]);
    expect(guide).not.toMatch(
      /\b(care|carer|patient|ray|weight\w*|hip|ward|nurse|wound|pain|physio\w*|clinic\w*|medic\w*|health\w*)\b/i,
    );
  });
});

describe('the domain of the guide, served', () => {
  let shop: ChildProcessWithoutNullStreams | null = null;
  afterEach(async () => {
    if (shop === null) return;
    const ended = once(shop, 'exit');
    shop.stdin.end();
    expect(await ended).toEqual([0, null]);
    shop = null;
  });

  /** Starts it; gives its address and the tokens of its two callers. */
  async function serve(): Promise<{ url: string; customer: string; clerk: string }> {
    shop = spawn(process.execPath, [...ARGUMENTS, SERVED, newFolder()]);
    const tokens: string[] = [];
    for await (const line of createInterface(shop.stdout)) {
      const [, url, token] = /^(http:.*)\/mcp for .*: (\S+)$/.exec(line) ?? [];
      if (url === undefined || token === undefined) continue;
      tokens.push(token);
      const [customer, clerk] = tokens;
      if (customer !== undefined && clerk !== undefined) return { url, customer, clerk };
    }
    throw new Error('the shop of the guide did not start');
  }

  it('is heard by the client of the other guide, which takes back what it said', async () => {
    const { url, customer } = await serve();
    const { takeBack } = await codeOf<ClientGuide>('read-from-a-client');
    const said: string[] = [];
    await takeBack(url, customer, 'hours://high_street/sunday', (words) => {
      said.push(words);
      if (said.length === 1) shop?.stdin.write('Open from 9 to 12.\n');
    });
    expect(said).toEqual([
      'What was said about sunday was withdrawn. Nothing replaces it yet. Ask the shop.',
      'Stop. I take back what I said about sunday. It now says: “Open from 9 to 12.” Changed just now by the shop.',
    ]);
  });

  it('tells a customer as much of what is for staff as of what is not there', async () => {
    const { url, customer, clerk } = await serve();
    const [outside, inside] = await Promise.all([connect(url, customer), connect(url, clerk)]);
    const uris = async (client: Client) => (await client.listResources()).resources.map(({ uri }) => uri);
    expect(await uris(outside)).toEqual(['hours://high_street/sunday']);
    expect(await uris(inside)).toEqual(['backroom://high_street/delivery', 'hours://high_street/sunday']);
    const delivery = await inside.readResource({ uri: 'backroom://high_street/delivery' });
    expect(delivery.contents).toMatchObject([{ text: 'Goods come at 7, and the back door is open.' }]);
    const refusal = async (topic: string) =>
      outside.readResource({ uri: `backroom://high_street/${topic}` }).then(
        () => 'read',
        (error: Error) => error.message.replaceAll(topic, 'TOPIC'),
      );
    expect(await refusal('delivery')).toBe(await refusal('nothing_at_all'));
    expect(await refusal('delivery')).not.toBe('read');
    await Promise.all([outside.close(), inside.close()]);
  });
});

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client(
    { name: 'guide-test', version: '0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}
