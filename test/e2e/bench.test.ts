import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  removeFolder,
  run,
  startServer,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { startDelayedWriteProxy } from './delayed-write-proxy.ts';

const data = temporaryFolder();
afterAll(() => removeFolder(data));

// It has the secret of the test servers' system writer, and nothing else of this process's Unsay.
function bench(...args: string[]): Promise<CommandResult> {
  return run('npm', ['run', '--silent', 'bench', '--', ...args], testEnvironment(data, {}));
}

const milliseconds = expect.any(Number);
const summary = { n: 5, p50: milliseconds, p95: milliseconds, p99: milliseconds, slowest: milliseconds };
const ratio = { median: expect.any(Number), rounds: expect.any(Array), met: expect.any(Boolean) };

describe('the bench', () => {
  let local: CommandResult;
  beforeAll(async () => {
    local = await bench('--n', '5', '--json');
  }, 120_000);

  it('measures both eras beside the floor', () => {
    expect(local.code, local.stderr).toBe(0);
    expect(JSON.parse(local.stdout)).toMatchObject({
      n: 5,
      machine: { node: process.versions.node, commit: expect.any(String) },
      figures: {
        modern: summary,
        legacy: summary,
        rawLoop: summary,
        bareCommit: summary,
        fsync: summary,
      },
      ratioTarget: 1.4,
      ratios: { modern: ratio, legacy: ratio },
      speechWindow: { limit: 3400, missed: 0 },
    });
  });

  it('says how it is used', async () => {
    const { code, stdout } = await bench('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('--n COUNT');
  });

  it.each([
    ['--n', '0'],
    ['--n', 'many'],
    ['--token', 'without an address'],
    ['--url', 'nowhere'],
    ['--mistyped', ''],
  ])('refuses %s %s as wrong usage', async (...args) => {
    const { code, stdout, stderr } = await bench(...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('Usage: npm run bench');
  });

  it('fails when one correction of a server elsewhere misses the speech window', async () => {
    const server = await startServer(data);
    // Past the facts' first versions, so a correction in either era.
    const proxy = await startDelayedWriteProxy(server.url, 9, 3500);
    try {
      const token = await server.mint('care.read.user');
      const { code, stdout, stderr } = await bench(
        '--n',
        '1',
        '--json',
        '--url',
        proxy.url,
        '--token',
        token,
      );
      expect(JSON.parse(stdout), stderr).toMatchObject({ speechWindow: { missed: 1 }, ratios: {} });
      expect(code).toBe(1);
    } finally {
      proxy.close();
      await server.stop();
    }
  }, 120_000);
});
