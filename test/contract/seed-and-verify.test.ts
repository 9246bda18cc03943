import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const folder = temporaryFolder();

afterAll(() => removeFolder(folder));

/** `npm run seed` or `npm run verify`, as a person runs it. */
function script(name: 'seed' | 'verify', data: string, ...args: string[]): Promise<CommandResult> {
  return run('npm', ['run', '--silent', name, '--', ...args], testEnvironment(data, {}));
}

const lastLine = ({ stdout }: CommandResult): string => stdout.trimEnd().split('\n').at(-1) ?? '';

describe.each(['seed', 'verify'] as const)('npm run %s', (name) => {
  it('explains itself and does nothing else', async () => {
    const data = join(folder, 'untouched');
    const helped = await script(name, data, '--help');
    expect([helped.code, helped.stderr]).toEqual([0, '']);
    expect(helped.stdout).toContain(`npm run --silent unsay -- ${name}`);
    const wrong = await script(name, data, 'word');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('See npm run --silent unsay -- help.');
    expect(existsSync(data)).toBe(false);
  });
});

describe('on a stopped server', () => {
  const data = join(folder, 'stopped');

  it('there is nothing to verify before there is a store', async () => {
    const none = await script('verify', data);
    expect(none).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/make one with npm start\.\n$/),
    });
    expect(existsSync(data)).toBe(false);
  });

  it('seed makes the demonstration plan once, and says what it did', async () => {
    const first = await script('seed', data);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toBe(`Seeded: the demonstration plan, 8 facts, is in ${data}.\n`);
    const again = await script('seed', data);
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.stdout).toMatch(/^Nothing to do: .* already\.\n$/);
    const json = await script('seed', data, '--json');
    expect(JSON.parse(json.stdout)).toEqual({ seeded: false, facts: 8 });
  });

  it('verify replays it, and its last line is the verdict', async () => {
    const whole = await script('verify', data);
    expect([whole.code, whole.stderr, lastLine(whole)]).toEqual([0, '', '8 chains, 9 versions, intact']);
    expect(JSON.parse((await script('verify', data, '--json')).stdout)).toMatchObject({
      intact: true,
      versions: 9,
    });
  });

  it('verify finds what was changed in the file', async () => {
    const connection = new DatabaseSync(join(data, 'unsay.db'));
    connection.exec('UPDATE versions SET version_hash = prev_hash WHERE version = 2');
    connection.close();
    const broken = await script('verify', data);
    expect([broken.code, broken.stderr]).toEqual([1, '']);
    expect(broken.stdout).toContain('broken: care://ray/weight_bearing at version 2\n');
    expect(lastLine(broken)).toBe('8 chains, 9 versions, NOT intact');
  });
});

describe('on a running server', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer(join(folder, 'running'), { UNSAY_SEED: 'none' });
  });

  afterAll(async () => {
    await server?.kill();
  });

  it('seed fills the store that it has open, once however many ask', async () => {
    const asked = await Promise.all([1, 2, 3].map(() => server.operate('seed')));
    expect(asked).toEqual([1, 2, 3].map(() => ({ seeded: true, facts: 8 })));
    const again = await script('seed', server.data);
    expect(again).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Nothing to do/) });
    expect(await server.operate('verify')).toMatchObject({ intact: true, chains: 8, versions: 9 });
  });

  it('verify replays the store, an export of it, and what the server shows', async () => {
    await publish(server.url, 'care://ray/wound', 'Corrected.');
    expect(lastLine(await script('verify', server.data))).toBe('8 chains, 10 versions, intact');
    const { stdout } = await server.unsay('export');
    const file = join(folder, 'export.jsonl');
    writeFileSync(file, stdout);
    const none = join(folder, 'none');
    const exported = await script('verify', none, '--export', file);
    expect([exported.code, lastLine(exported)]).toEqual([0, '8 chains, 10 versions, intact']);
    // The five checks of the independent verifier, each with its outcome.
    expect(exported.stdout.split('\n').filter((line) => /^\d\. .+: ok$/.test(line))).toHaveLength(5);
    writeFileSync(file, stdout.replace('"Corrected."', '"Corrupted."'));
    const changed = await script('verify', none, '--export', file);
    expect([changed.code, lastLine(changed)]).toEqual([1, expect.stringContaining('NOT intact')]);
    const token = await server.mint('care.read.user');
    const shown = await script('verify', none, '--url', server.url, '--token', token);
    expect([shown.code, lastLine(shown)]).toEqual([0, '6 chains, 8 versions, intact']);
  });
});

it('seed leaves a store that has other facts as it is, and says so', async () => {
  const data = join(folder, 'other');
  const server = await startServer(data, { UNSAY_SEED: 'none' });
  await publish(server.url, 'care://mia/diet', 'The only fact.');
  const running = await script('seed', data);
  await server.stop();
  const stopped = await script('seed', data);
  for (const refused of [running, stopped]) {
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^The store is not empty; nothing was written\. [^\n]*\.\n$/);
  }
  expect(lastLine(await script('verify', data))).toBe('1 chains, 1 versions, intact');
});
