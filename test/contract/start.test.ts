import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../harness/era-client.ts';
import { followRaw } from '../harness/raw-mcp.ts';
import {
  exportLines,
  ROOT,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  startToItsEnd,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import { SPEAKABLE } from './demonstration.ts';

const CODE = '[A-Za-z0-9_-]{22}';
const folder = temporaryFolder();
const data = join(folder, 'made', 'by the start');
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** The token that the start printed. */
function printedToken(): string {
  return server.lines.map((line) => /^ {2}token +(\S+)$/.exec(line)?.[1]).find(Boolean) ?? '';
}

const startAgain = (settings: Record<string, string> = {}, at = data): ReturnType<typeof run> =>
  startToItsEnd(testEnvironment(at, settings));

/** One sentence or two, on one line, and no stack trace. */
const CLEAR = /^[A-Z][^\n]*\.\n$/;

describe('npm start', () => {
  it('prints what runs and what to do next, in this order, and nothing else', () => {
    const { url, lines } = server;
    const printed = lines.slice(0, lines.findIndex((line) => line.startsWith('ready')) + 1);
    const expected = [
      `Unsay: store SQLite in ${data} \\(durable\\), facts sealed by local key [0-9a-f]{16}, eras 2026-07-28 and 2025-11-25, metrics at http://127.0.0.1:\\d+/metrics`,
      'Open \\(each code works once, within 10 minutes\\):',
      `  landing  ${url}/#${CODE}`,
      `  device   ${url}/device#${CODE}`,
      `  console  ${url}/console#${CODE}`,
      `  MCP      ${url}/mcp`,
      `  token    ${printedToken()}`,
      '           \\(one hour, care.read.user for ray\\)',
      'For a coding agent:',
      `  claude mcp add --transport http unsay ${url}/mcp --header "Authorization: Bearer ${printedToken()}"`,
      'Stop with Ctrl-C.',
      'ready in \\d+ ms',
    ];
    const said = printed.filter((line) => line !== '');
    expect(said).toHaveLength(expected.length);
    said.forEach((line, index) => {
      expect(line).toMatch(new RegExp(`^${expected[index]}$`));
    });
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(server.faults()).toBe('');
  });

  it('gives a token that reads what may be said to Ray for one hour, and no more', async () => {
    const { exp = 0, iat = 0, subjects, scope } = decodeJwt(printedToken());
    expect([exp - iat, subjects, scope]).toEqual([3600, ['ray'], 'care.read.user']);
    const client = await connect('legacy', server.url, printedToken());
    const first = await client.call('resources/list');
    const second = await client.call('resources/list', { cursor: first.nextCursor });
    const listed = [first, second].flatMap(({ resources }) => resources as { uri: string }[]);
    expect(listed.map(({ uri }) => uri)).toEqual(SPEAKABLE);
    expect(await client.refusal('resources/read', { uri: 'care-internal://ray/risk' })).toMatchObject({
      code: -32002,
    });
    await client.close();
    const write = await fetch(`${server.url}/write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${printedToken()}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(write.status).toBe(403);
  });

  it('lets nobody else on the machine into its folder', () => {
    const modes = Object.fromEntries(
      ['.', ...readdirSync(data)].map((name) => [
        name,
        (statSync(join(data, name)).mode & 0o777).toString(8),
      ]),
    );
    const { '.': own, ...inside } = modes;
    expect(own).toBe('700');
    const secrets = ['control.sock', 'cursor-key', 'master-key', 'token-key.json', 'unsay.db'];
    expect(Object.keys(inside)).toEqual(expect.arrayContaining(secrets));
    expect(new Set(Object.values(inside))).toEqual(new Set(['600']));
    // The secret of the environment is nowhere in it; one of its own is made when none is given.
    expect(Object.keys(inside)).not.toContain('write-secret');
  });

  it('is refused a folder that another server has', async () => {
    const { code, stdout, stderr } = await startAgain();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(CLEAR);
    expect(stderr).toContain(data);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.operate('verify')).toMatchObject({ intact: true });
  });

  it('is refused a port that another server has', async () => {
    const { port } = new URL(server.url);
    const { code, stdout, stderr } = await startAgain({ UNSAY_PORT: port }, join(folder, 'other'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(CLEAR);
    expect(stderr).toContain(`Port ${port} is in use.`);
  });

  it('is reached by the command line while it runs', async () => {
    const minted = await server.unsay(
      'token',
      'mint',
      '--sub',
      'anna',
      '--scope',
      'care.read.user',
      '--subject',
      'ray',
      '--ttl',
      '60',
    );
    expect(minted).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/),
    });
    expect(decodeJwt(minted.stdout)).toMatchObject({
      sub: 'anna',
      scope: 'care.read.user',
      subjects: ['ray'],
    });
    const verify = await fetch(`${server.url}/verify`, {
      headers: { authorization: `Bearer ${minted.stdout.trim()}` },
    });
    expect(verify.status).toBe(200);
    const pairing = await server.unsay('pair', 'device');
    expect(pairing.stdout).toMatch(new RegExp(`^${server.url}/device#${CODE}\n$`));
  });

  it('stops at Ctrl-C with a last word on each stream, and lets go of everything', async () => {
    const token = await server.mint('care.read.user');
    const modern = await followRaw('modern', server.url, token, ['care://ray/wound']);
    const legacy = await followRaw('legacy', server.url, token, ['care://ray/wound']);
    await publish(server.url, 'care://ray/wound', 'The last words before the stop.');
    await Promise.all([modern.next(), legacy.next()]);
    expect(await server.stop()).toBe(0);
    expect(server.lines.slice(-2)).toEqual(['Stopping…', 'Stopped.']);
    expect(server.faults()).toBe('');
    expect(await modern.message()).toMatchObject({ id: 7, result: { resultType: 'complete' } });
    expect(await Promise.all([modern.over, legacy.over])).toEqual(['ended', 'ended']);
    expect(await modern.next()).toBeUndefined();
    expect(existsSync(join(data, 'control.sock'))).toBe(false);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });
});

it('ends well when a Ctrl-C comes again and again, to the very last moment', async () => {
  const folder = temporaryFolder();
  // The machine's own Node, as npm runs it: where that is older, the pinned one is its child.
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((part) => !part.endsWith(join('node_modules', '.bin')))
    .join(delimiter);
  const child = spawn('node', ['scripts/start.mjs'], {
    cwd: ROOT,
    env: { ...testEnvironment(folder, {}), PATH },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('ready in')) break;
  const again = setInterval(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), 'SIGINT');
  }, 1);
  child.stdout.resume();
  expect(await closed).toEqual([0, null]);
  clearInterval(again);
  removeFolder(folder);
});

describe('the command line', () => {
  it('works on a store that no server has open', async () => {
    const verified = await server.unsay('verify', '--json');
    const { chains, versions, ...verdict } = JSON.parse(verified.stdout);
    expect([verified.code, verdict, chains, versions]).toEqual([
      0,
      { intact: true, erased: 0, broken: [] },
      8,
      10,
    ]);
    const written = await server.unsay(
      'write',
      'care://ray/wound',
      '--value',
      'Written while stopped.',
      '--author',
      'me',
    );
    expect(written).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^care:\/\/ray\/wound v3 [0-9a-f]{64}\n$/),
    });
    const read = await server.unsay('read', 'care://ray/wound');
    expect(read.stdout).toBe('Written while stopped.\n');
    const history = await server.unsay('history', 'care://ray/wound', '--json');
    expect(JSON.parse(history.stdout).versions).toHaveLength(3);
    const audit = await server.unsay('audit');
    expect(audit.stdout.trim().split('\n').at(-1)).toMatch(
      /accepted {2}control {2}operator {2}care:\/\/ray\/wound$/,
    );
    const exported = await server.unsay('export');
    const lines = exportLines(exported.stdout).filter(({ type }) => type === 'version');
    expect(lines).toHaveLength(11);
    for (const line of lines) expect(line.versionHash).toMatch(/^[0-9a-f]{64}$/);
    const absent = await server.unsay('read', 'care://ray/absent');
    expect(absent).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(CLEAR) });
    const pairing = await server.unsay('pair', 'device');
    expect(pairing).toMatchObject({ code: 1, stderr: expect.stringContaining('No server runs') });
  });

  it('mints and revokes without a server what the server then honours', async () => {
    const mint = ['token', 'mint', '--scope', 'care.read.user', '--subject', 'ray'];
    const [good, ended] = [
      (await server.unsay(...mint)).stdout.trim(),
      (await server.unsay(...mint)).stdout.trim(),
    ];
    expect((await server.unsay('token', 'revoke', ended)).code).toBe(0);
    server = await startServer(data, { UNSAY_PORT: new URL(server.url).port });
    const [first, second] = await Promise.all(
      [good, ended].map((token) =>
        fetch(`${server.url}/verify`, { headers: { authorization: `Bearer ${token}` } }),
      ),
    );
    expect([first?.status, second?.status]).toEqual([200, 401]);
    // The demonstration was seeded once: what was written since stands.
    expect(await server.operate('verify')).toMatchObject({ intact: true, chains: 8, versions: 11 });
  });

  it('says nothing when whoever reads its output stops early', async () => {
    const command = 'npm run --silent unsay -- export | true';
    const piped = await run('bash', ['-o', 'pipefail', '-c', command], testEnvironment(data, {}));
    expect(piped).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('a folder whose path is longer than a socket’s may be', () => {
  const far = join(folder, 'x'.repeat(80), 'y'.repeat(80));

  it('serves, is reached by the command line, and ends when a service manager says so', async () => {
    await server.stop();
    server = await startServer(far, { UNSAY_WRITE_SECRET: '' });
    const minted = await server.unsay('token', 'mint', '--scope', 'care.read.user', '--subject', 'ray');
    expect([minted.code, minted.stderr]).toEqual([0, '']);
    const client = await connect('modern', server.url, minted.stdout.trim());
    expect((await client.call('resources/list')).resources).toHaveLength(3);
    await client.close();
    const modes = ['control.sock', 'write-secret'].map((name) =>
      (statSync(join(far, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['600', '600']);
    await server.terminate();
    expect(server.lines.at(-1)).toBe('Stopped.');
  });
});
