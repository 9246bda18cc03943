import { describe, expect, it } from 'vitest';
import { ROOT, run } from '../harness/running-server.ts';
import { FLOWS, linesOf, verdictIn } from './flows.ts';

const [flow] = FLOWS;
if (flow === undefined) throw new Error('there are no flows');

const verdict = (change: object = {}): string =>
  JSON.stringify({
    passed: true,
    summary: 'well done',
    steps: [
      { step: 'one', status: 'passed', why: 'it did' },
      { step: 'two', status: 'skipped', why: 'it could not tell' },
    ],
    ...change,
  });

describe('a verdict', () => {
  it('is the last line that the referee printed, and what was skipped is said and not counted', () => {
    expect(linesOf(flow, verdictIn(`Progress …\n${verdict()}\n`, ''))).toEqual([
      'passed  2025-03-26 dcr: 1 steps passed, 0 failed, 1 skipped',
      '        skipped two: it could not tell',
    ]);
  });

  it.each([
    ['that says no', verdict({ passed: false })],
    [
      'that says yes beside a failed step',
      verdict({ steps: [{ step: 'one', status: 'failed', why: 'no' }] }),
    ],
    ['of nothing', verdict({ steps: [] })],
    ['that never came', ''],
    ['that is no JSON', 'All good!'],
  ])('%s is a failure', (_what, stdout) => {
    const found = verdictIn(stdout, 'file.js:1\nTypeError: no luck\n  at here');
    expect(found.passed).toBe(false);
    expect(linesOf(flow, found)[0]).toMatch(/^FAILED/);
  });
});

describe('npm run referees', () => {
  const referees = (...args: string[]) =>
    run(process.execPath, [`${ROOT}/test/referees/referees.ts`, ...args], process.env);

  it('says how it is called without installing anything', async () => {
    const { code, stdout, stderr } = await referees('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: npm run referees');
  });

  it('refuses what it does not know', async () => {
    const { code, stderr } = await referees('--everything');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--everything')]);
  });
});
