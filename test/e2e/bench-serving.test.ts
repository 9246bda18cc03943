import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type CommandResult,
  ROOT,
  removeFolder,
  run,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';

const data = temporaryFolder();
afterAll(() => removeFolder(data));

const BENCH = join(ROOT, 'bench/src/bench.ts');
const WASTEFUL = { NODE_OPTIONS: `--import=${new URL('wasteful-unsay.ts', import.meta.url).href}` };

function bench(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return run(process.execPath, [BENCH, ...args], testEnvironment(data, settings));
}

/** The servers of others are not there after an install, so the two figures beside them are missing here. */
const TARGETS = {
  'reads: processor time of one ÷ raw JSON echo': 2,
  'memory of a stream ÷ raw stream': 1.5,
  '10 streams: the last is told ÷ raw': 1.3,
  '10 streams: all have read again ÷ raw': 1.4,
  '20 streams: the last is told ÷ raw': 1.3,
  '20 streams: all have read again ÷ raw': 1.4,
  'resume of 20 missed ÷ the same bytes': 5,
  'spawn to the first answered read ÷ raw': 3,
};

describe('the bench of the running server', () => {
  it('holds each figure against its target, and fails when one is missed and all have to be met', async () => {
    const args = ['serving', '--quick', '--no-peers', '--strict', '--json'];
    const { code, stdout, stderr } = await bench(args, WASTEFUL);
    expect(stdout, stderr).not.toBe('');
    const findings: { what: string; figure: number; target: number; met: boolean }[] =
      JSON.parse(stdout).findings;
    expect(Object.fromEntries(findings.map(({ what, target }) => [what, target]))).toEqual(TARGETS);
    for (const { what, figure, target, met } of findings) {
      expect(figure, what).toBeGreaterThan(0);
      expect(met, what).toBe(figure <= target);
    }
    const missed = findings.flatMap(({ what, met }) => (met ? [] : [what]));
    expect(missed).toEqual(
      expect.arrayContaining([
        'reads: processor time of one ÷ raw JSON echo',
        'memory of a stream ÷ raw stream',
      ]),
    );
    expect(code).toBe(1);
  });

  it('runs one scenario by its name, and says a miss without failing', async () => {
    const { code, stdout, stderr } = await bench(['reading', '--quick', '--no-peers'], WASTEFUL);
    expect(stdout, stderr).toMatch(/^ {2}reads: processor time of one .* at most 2: MISSED$/m);
    expect(code).toBe(0);
  });

  it.each([
    ['serving', '--only', 'nothing'],
    ['reading', '--mistyped'],
  ])('refuses %s %s as wrong usage', async (...args) => {
    const { code, stdout, stderr } = await bench(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('Usage: npm run bench -- serving');
  });
});
