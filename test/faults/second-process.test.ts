import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followRaw } from '../harness/raw-mcp.ts';
import {
  type CommandResult,
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

const URI = 'care://ray/wound';
const data = temporaryFolder();
const servers: RunningServer[] = [];
let first: RunningServer;

beforeAll(async () => {
  first = await start();
});

afterAll(async () => {
  for (const server of servers) await server.kill();
  removeFolder(data);
});

async function start(): Promise<RunningServer> {
  const server = await startServer(data);
  servers.push(server);
  return server;
}

/** What `unsay …` does on the folder, without npm. */
function unsay(...args: string[]): Promise<CommandResult> {
  const node = join(ROOT, 'node_modules/.bin/node');
  return run(node, ['apps/unsay/src/cli/unsay.ts', ...args], testEnvironment(data, {}));
}

/** One sentence that names the store and what to do. */
function expectInUse({ code, stdout, stderr }: CommandResult): void {
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^The store [^\n]*unsay\.db is in use by another process\. [^\n]*\.\n$/);
}

describe('a folder that a server owns', () => {
  it('is refused to every other start, however many come at once, and the server serves on', async () => {
    const token = await first.mint('care.read.user');
    const stream = await followRaw('legacy', first.url, token, [URI]);
    const before = await publish(first.url, URI, 'Before the others.');
    await stream.message();
    const kept = namesIn(data);
    const socket = join(data, 'control.sock');
    const refused = await Promise.all([
      startToItsEnd(testEnvironment(data, {})),
      unsay('serve'),
      unsay('serve', '--key-provider', 'none'),
      unsay('serve', '--seed', 'none'),
    ]);
    for (const result of refused) expectInUse(result);
    expect(namesIn(data)).toEqual(kept);
    expect(existsSync(socket)).toBe(true);

    const after = await publish(first.url, URI, 'After the others.');
    expect(after).toMatchObject({ version: before.version + 1, prevHash: before.versionHash });
    expect(await stream.message()).toMatchObject({ params: { uri: URI } });
    stream.close();
    expect(first.faults()).toBe('');
  });

  it('is reached by the command line through the server', async () => {
    const written = await unsay(
      'write',
      URI,
      '--value',
      'From the command line.',
      '--author',
      'me',
      '--json',
    );
    expect([written.code, written.stderr]).toEqual([0, '']);
    const { version } = JSON.parse(written.stdout) as { version: number };
    expect((await unsay('read', URI)).stdout).toBe('From the command line.\n');
    expect((await publish(first.url, URI, 'From a system.')).version).toBe(version + 1);
    expect(await unsay('verify', '--json')).toMatchObject({ code: 0, stderr: '' });
  });

  it('goes to the next start when the server is killed, and only to one', async () => {
    const last = await publish(first.url, URI, 'The last before the kill.');
    await first.kill();
    // What the dead one left of its socket is in nobody's way.
    expect(existsSync(join(data, 'control.sock'))).toBe(true);
    expect((await unsay('read', URI)).stdout).toBe('The last before the kill.\n');
    const [one, other] = await Promise.allSettled([start(), start()]);
    const started = [one, other].filter((result) => result.status === 'fulfilled');
    const refused = [one, other].filter((result) => result.status === 'rejected');
    for (const { value } of started) first = value;
    expect([started.length, refused.length]).toEqual([1, 1]);
    expect(String(refused[0]?.reason)).toContain('is in use by another process');
    const next = await publish(first.url, URI, 'The first after the kill.');
    expect(next).toMatchObject({ version: last.version + 1, prevHash: last.versionHash });
    expect(await first.operate('verify')).toMatchObject({ intact: true });
  });
});

/** The files of a folder and their bytes, except for those that the owner writes at any time. */
function namesIn(folder: string): string[] {
  return readdirSync(folder).map((name) => {
    const ofOwner = name.startsWith('unsay.db') || name === 'control.sock';
    return ofOwner ? name : `${name} ${readFileSync(join(folder, name), 'utf8')}`;
  });
}
