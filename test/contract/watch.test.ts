import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  endGroup,
  ROOT,
  type RunningServer,
  removeFolder,
  startServer,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const folder = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(join(folder, 'data'));
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** `unsay watch`, once it has said that it watches; `until` waits for so many lines. */
async function startWatching(...args: string[]) {
  const child: ChildProcess = spawn('npm', ['run', '--silent', 'unsay', '--', 'watch', ...args], {
    cwd: ROOT,
    env: testEnvironment(server.data, {}),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, faults] = ['', ''];
  const changed = new Set<() => void>();
  const wake = (): void => {
    for (const look of changed) look();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    wake();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    faults += text;
    wake();
  });
  function until(isThere: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        changed.delete(look);
        resolve();
      };
      changed.add(look);
      look();
    });
  }
  await until(() => faults.includes('Watching'));
  return {
    async lines(count: number): Promise<string[]> {
      await until(() => out.split('\n').length > count);
      return out.trimEnd().split('\n');
    },
    faults: () => faults,
    child,
  };
}

it('tells each correction and its retraction as it lands, and no first version', async () => {
  const watching = await startWatching('--json');
  const inWords = await startWatching();
  await publish(server.url, 'care://ray/new', 'A first version.');
  await publish(server.url, 'care://ray/new', 'Walk\u2028again.');
  await server.operate('write', { uri: 'care-internal://ray/risk', value: 'Changed.', author: 'author-1' });
  await server.operate('write', { uri: 'care://ray/new', withdraw: true, author: 'author-1' });
  const told = (await watching.lines(3)).map((line) => JSON.parse(line));
  expect(told).toEqual([
    expect.objectContaining({
      uri: 'care://ray/new',
      version: 2,
      kind: 'revise',
      value: 'Walk\u2028again.',
      previousVersion: 1,
      previousValue: 'A first version.',
      retraction: expect.stringContaining('“A first version.”'),
    }),
    expect.objectContaining({ uri: 'care-internal://ray/risk', value: 'Changed.' }),
    expect.objectContaining({ uri: 'care://ray/new', version: 3, kind: 'withdraw', value: null }),
  ]);
  expect((await inWords.lines(6))[1]).toContain('“A first version.”');
  await endGroup(watching.child, 'SIGINT');
  await endGroup(inWords.child, 'SIGINT');
  expect(server.faults()).toBe('');
});

it('does not keep the server from stopping, and ends with it; without a server there is nothing to watch', async () => {
  const watching = await startWatching();
  expect(await server.stop()).toBe(0);
  await endGroup(watching.child, 'SIGCONT');
  expect(watching.faults()).toContain('The server ended');
  const refused = await server.unsay('watch');
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('No server runs on'),
  });
});
