import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  startToItsEnd,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { type Published, publish } from '../harness/signed-write.ts';

const SECRETS = ['cursor-key', 'master-key', 'token-key.json'];

const folder = temporaryFolder();
const target = join(folder, 'backup');
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(join(folder, 'data'));
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

function unsayOn(data: string, ...args: string[]): Promise<CommandResult> {
  return run('npm', ['run', '--silent', 'unsay', '--', ...args], testEnvironment(data, {}));
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a backup of a running server', () => {
  const answered: Published[] = [];
  let answeredBefore: Published[] = [];

  beforeAll(async () => {
    let backingUp: Promise<CommandResult> | null = null;
    let ended = false;
    for (let count = 0; !ended; count += 1) {
      answered.push(await publish(server.url, `care://ray/topic-${count % 7}`, `Said ${count}.`));
      if (count !== 30) continue;
      answeredBefore = [...answered];
      backingUp = server.unsay('backup', target).finally(() => {
        ended = true;
      });
    }
    expect(await backingUp).toMatchObject({ code: 0, stderr: '' });
    expect((await backingUp)?.stdout).toContain('KEYS (cursor-key, master-key, token-key.json)');
  });

  it('went on beside the writes', () => {
    expect(answeredBefore).toHaveLength(31);
    expect(answered.length).toBeGreaterThan(answeredBefore.length);
    expect(server.faults()).toBe('');
  });

  it('is a folder of its owner alone', () => {
    expect(readdirSync(target).sort()).toEqual([...SECRETS, 'unsay.db']);
    expect(modeOf(target)).toBe('700');
    for (const name of readdirSync(target)) expect(modeOf(join(target, name))).toBe('600');
  });

  it('leaves the data folder to its one owner', async () => {
    const second = await startToItsEnd(testEnvironment(server.data, {}));
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('in use') });
  });

  it('is restored elsewhere, verified, with everything that was answered before it began', async () => {
    const data = join(folder, 'restored');
    expect(await unsayOn(data, 'restore', target, '--json')).toMatchObject({ code: 0, stderr: '' });
    const restored = await startServer(data);
    const versions = (await restored.exported()).filter(({ type }) => type === 'version');
    const hashes = new Set(versions.map(({ versionHash }) => versionHash));
    const verdict = await restored.operate('verify');
    const next = await publish(restored.url, 'care://ray/topic-0', 'Said after the restore.');
    await restored.kill();
    expect(verdict).toMatchObject({ intact: true });
    expect(answeredBefore.filter(({ versionHash }) => !hashes.has(versionHash))).toEqual([]);
    // Of what was written meanwhile, it has the first so many, and no others.
    const there = answered.map(({ versionHash }) => hashes.has(versionHash));
    expect(there.lastIndexOf(true) + 1).toBe(there.filter(Boolean).length);
    expect(next.version).toBeGreaterThan(4);
  });

  it('is refused where something is, in one sentence', async () => {
    const refused = await server.unsay('backup', target);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is there already'),
    });
  });

  it('without keys holds none, and says that it cannot be opened without them', async () => {
    const bare = join(folder, 'bare');
    const made = await server.unsay('backup', bare, '--without-keys');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('no keys') });
    expect(readdirSync(bare)).toEqual(['unsay.db']);
    const opened = await unsayOn(join(folder, 'bare-restored'), 'restore', bare);
    expect(opened).toMatchObject({ code: 1, stderr: expect.stringContaining('master key is not there') });
  });
});

describe('a restore', () => {
  it('is refused on the folder of a running server', async () => {
    const refused = await server.unsay('restore', target);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('A server runs on') });
  });

  it('is refused from the folder of a running server', async () => {
    const data = join(folder, 'from-running');
    const refused = await unsayOn(data, 'restore', server.data);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('in use') });
    expect(existsSync(data)).toBe(false);
  });

  it.each([
    ['backup'],
    ['restore'],
    ['import'],
    ['backup', 'a', 'b'],
    ['verify', '--token', 'x'],
    ['verify', '--export', 'a', '--url', 'b'],
  ])('and what goes with it is used wrongly as %s %s %s', async (...args) => {
    const refused = await unsayOn(join(folder, 'untouched'), ...args.filter(Boolean));
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('See npm run --silent unsay -- help.'),
    });
  });
});
