import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  ROOT,
  removeFolder,
  run,
  startToItsEnd,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
/** The folder of commands that have no business in one. */
const untouched = join(folder, 'untouched');

afterAll(() => removeFolder(folder));

/** What `unsay …` does, without npm. */
function unsay(args: readonly string[], settings: Record<string, string> = {}): Promise<CommandResult> {
  const node = join(ROOT, 'node_modules/.bin/node');
  return run(node, ['apps/unsay/src/cli/unsay.ts', ...args], testEnvironment(data, settings));
}

/** One line that says what is wrong and what to do, and nothing of the inside. */
function expectClear({ code, stdout, stderr }: CommandResult, exit: number): void {
  expect([code, stdout]).toEqual([exit, '']);
  expect(stderr).toMatch(/^[^\n]{20,}\.\n$/);
  expect(stderr).not.toMatch(/undefined|\bat \w+.*:\d+|Error:|ENOENT|ENOTDIR|EACCES|SQLITE/);
}

describe('a start with a folder that cannot be used', () => {
  it('is refused below a file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'mine');
    const refused = await startToItsEnd(testEnvironment(join(file, 'below'), {}));
    expectClear(refused, 1);
    expect(refused.stderr).toContain(join(file, 'below'));
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('is refused at a file', async () => {
    expectClear(await unsay(['serve'], { UNSAY_DATA: join(folder, 'file') }), 1);
  });

  it.each([
    ['serve', 'text', Buffer.from('shopping list\n')],
    ['export', 'noise', Buffer.alloc(8192, 0x5a)],
    [
      'serve',
      'another program’s database',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080, 1)]),
    ],
  ])('is refused to %s from a store that is %s, and leaves it alone', async (command, _what, bytes) => {
    const mine = join(folder, 'mine');
    mkdirSync(mine, { recursive: true });
    writeFileSync(join(mine, 'unsay.db'), bytes);
    const refused = await unsay([command], { UNSAY_DATA: mine });
    expectClear(refused, 1);
    expect(refused.stderr).toContain(mine);
    expect(readFileSync(join(mine, 'unsay.db'))).toEqual(bytes);
    expect(readdirSync(mine)).toEqual(['unsay.db']);
  });

  it('is refused a damaged token key', async () => {
    const mine = join(folder, 'damaged');
    mkdirSync(mine, { recursive: true });
    writeFileSync(join(mine, 'token-key.json'), '{"keys":[]}');
    chmodSync(join(mine, 'token-key.json'), 0o600);
    const refused = await unsay(['serve'], { UNSAY_DATA: mine });
    expectClear(refused, 1);
    expect(refused.stderr).toContain('token-key.json');
    expect(readFileSync(join(mine, 'token-key.json'), 'utf8')).toBe('{"keys":[]}');
  });
});

describe('a folder that cannot be made', () => {
  const BELOW_PROC = '/proc/unsay-of-the-tests/data';

  it.each(['serve', 'seed'])(
    'is refused to %s at once, also where a system says that it is not there',
    async (command) => {
      expectClear(await unsay([command], { UNSAY_DATA: BELOW_PROC }), 1);
    },
  );

  it('is refused to a restore at once', async () => {
    const made = join(folder, 'made');
    expect(await unsay(['seed'], { UNSAY_DATA: made })).toMatchObject({ code: 0, stderr: '' });
    expectClear(await unsay(['restore', made], { UNSAY_DATA: BELOW_PROC }), 1);
  });
});

describe('a start on a port that is in use', () => {
  it('is refused before there is a folder, and says how to choose another', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const missing = join(folder, 'no', 'folder', 'yet');
    const settings = { UNSAY_PORT: String(port), UNSAY_DATA: missing };
    const refused = await startToItsEnd(testEnvironment(missing, settings));
    const installed = await unsay(['serve'], settings);
    await new Promise((resolve) => taken.close(resolve));
    for (const each of [refused, installed]) {
      expectClear(each, 1);
      expect(each.stderr).toContain(`Port ${port} is in use.`);
    }
    expect(refused.stderr).toContain('UNSAY_PORT=8790 npm start.');
    expect(installed.stderr).toContain('UNSAY_PORT=8790 unsay serve.');
    expect(existsSync(join(folder, 'no'))).toBe(false);
  });
});

describe('a start with a setting that cannot be used', () => {
  it.each([
    ['UNSAY_PORT', '99999'],
    ['UNSAY_PORT', 'eighty'],
    ['UNSAY_HOST', '203.0.113.77'],
    ['UNSAY_PUBLIC_URL', 'unsay.example.org'],
    ['UNSAY_PUBLIC_URL', 'https://unsay.example.org/path'],
    ['UNSAY_KEY_PROVIDER', 'kms'],
    ['UNSAY_KEY_PROVIDER', 'aes'],
    ['UNSAY_MASTER_KEY', 'f'.repeat(63)],
    ['UNSAY_MASTER_KEY', 'g'.repeat(64)],
    ['UNSAY_WRITE_SECRET', 'thirty-one bytes are too short.'],
    ['UNSAY_ALLOWED_ORIGINS', '*'],
    ['UNSAY_ALLOWED_ORIGINS', 'https://app.example.org,https://app.example.org/path'],
    ['UNSAY_SEED', 'everything'],
    ['UNSAY_CLOCK', 'yesterday'],
    ['UNSAY_CLOCK', '2026-12-01T09:00:00'],
    ['UNSAY_CLOCK', `file:${join(folder, 'no-such-clock')}`],
    ['UNSAY_PAGE_SIZE', '0'],
    ['UNSAY_AUDIT_LOG', join(folder, 'no', 'such', 'folder', 'audit.log')],
    ['UNSAY_DATABASE_URL', 'postgres://localhost/unsay'],
    ['UNSAY_DATABASE_URL', 'mysql://localhost/unsay'],
    ['UNSAY_AUTH_SERVER', 'http://issuer.example.org'],
    ['UNSAY_AUTH_CLIENT_ID', 'resource'],
    ['UNSAY_OIDC_ISSUER', 'https://login.example.org'],
    ['UNSAY_OIDC_CLIENT_ID', 'unsay'],
  ])('%s=%s is refused', async (name, value) => {
    const refused = await unsay(['serve'], { [name]: value });
    expectClear(refused, 1);
    expect(refused.stderr).toContain(name);
    if (/SECRET|MASTER/.test(name)) expect(refused.stderr).not.toContain(value);
  });

  it('is refused by npm start in the same words', async () => {
    const refused = await startToItsEnd(testEnvironment(data, {}), '--page-size', '0');
    expectClear(refused, 1);
    expect(refused.stderr).toBe((await unsay(['serve'], { UNSAY_PAGE_SIZE: '0' })).stderr);
  });
});

const COMMANDS = [
  'serve',
  'config',
  'token',
  'pair',
  'read',
  'history',
  'write',
  'audit',
  'verify',
  'seed',
  'export',
  'import',
  'backup',
  'restore',
  'watch',
];

describe('the command line', () => {
  it('lists its commands when asked, and when it knows no such command', async () => {
    const overview = (await unsay(['--help'])).stdout;
    for (const command of COMMANDS) expect(overview).toContain(`\n  unsay ${command}`);
    for (const args of [['help'], ['-h'], []]) {
      expect(await unsay(args)).toEqual({ code: 0, stdout: overview, stderr: '' });
    }
    const unknown = await unsay(['frobnicate']);
    expect(unknown).toEqual({ code: 2, stdout: '', stderr: `There is no command frobnicate.\n${overview}` });
    expect((await unsay(['constructor'])).code).toBe(2);
  });

  it.each(COMMANDS)('%s explains itself and does nothing else', async (command) => {
    const helped = await unsay([command, '--help'], { UNSAY_DATA: untouched });
    expect(helped).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`unsay ${command}`),
    });
    expect(helped.stdout).toContain('--data (UNSAY_DATA)');
    expect(existsSync(untouched)).toBe(false);
  });

  it.each([
    [['token']],
    [['token', 'steal']],
    [['token', 'mint', '--scope', 'care.read.user']],
    [['read']],
    [['read', 'care://ray/wound', 'care://ray/gait']],
    [['write', 'care://ray/wound', '--value', 'x']],
    [['serve', 'now']],
    [['verify', '--frobnicate']],
    [['export', '--json=yes']],
  ])('is used wrongly as %j', async (args) => {
    const refused = await unsay(args, { UNSAY_DATA: untouched });
    expectClear(refused, 2);
    expect(refused.stderr).toContain('See unsay help.');
    expect(existsSync(untouched)).toBe(false);
  });

  it('shows every setting with its origin, and no secret', async () => {
    const secret = 'a write secret that nobody else may see';
    const shown = await unsay(['config', '--json', '--page-size', '7'], { UNSAY_WRITE_SECRET: secret });
    expect(shown.stdout).not.toContain(secret);
    const { settings } = JSON.parse(shown.stdout) as { settings: Record<string, string>[] };
    const of = (name: string): unknown => settings.find(({ setting }) => setting === name);
    expect(of('UNSAY_PAGE_SIZE')).toMatchObject({ value: '7', origin: 'flag' });
    expect(of('UNSAY_WRITE_SECRET')).toMatchObject({ value: '(secret)', origin: 'environment' });
    expect(of('UNSAY_HOST')).toMatchObject({ value: '127.0.0.1', origin: 'default' });
    expect((await unsay(['config'], { UNSAY_WRITE_SECRET: secret })).stdout).not.toContain(secret);
  });
});
