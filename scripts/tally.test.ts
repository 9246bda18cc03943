import { describe, expect, it } from 'vitest';
import { tally, verdict } from './tally.ts';

type Module = Parameters<typeof tally>[0][number];
type State = 'passed' | 'failed' | 'skipped' | 'pending';

/** A module with tests in these states; `broken` says what could not run at all. */
function moduleWith(states: readonly State[], broken: { module?: boolean; suites?: number } = {}): Module {
  const errors = (is: boolean | undefined) => () => (is ? [{ message: 'broken' }] : []);
  return {
    errors: errors(broken.module),
    children: {
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
      allSuites: () => Array.from({ length: broken.suites ?? 0 }, () => ({ errors: errors(true) })),
    },
  } as unknown as Module;
}

describe('tally', () => {
  it('counts tests by how they ended', () => {
    const modules = [moduleWith(['passed', 'failed']), moduleWith(['passed', 'skipped'])];
    expect(tally(modules, 0)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it('counts what kept tests from running as failures', () => {
    expect(tally([moduleWith([], { module: true })], 0).failed).toBe(1);
    expect(tally([moduleWith(['passed'], { suites: 2 })], 0).failed).toBe(2);
    expect(tally([moduleWith(['pending'])], 0).failed).toBe(1);
    expect(tally([moduleWith(['passed'])], 3)).toEqual({ passed: 1, failed: 3, skipped: 0 });
  });
});

describe('verdict', () => {
  it('passes only where something ran and nothing failed', () => {
    expect(verdict({ passed: 3, failed: 0, skipped: 0 }, 0)).toEqual({
      line: '3 passed, 0 failed',
      exitCode: 0,
    });
    expect(verdict({ passed: 3, failed: 0, skipped: 2 }, 0).line).toBe('3 passed, 0 failed, 2 skipped');
    expect(verdict({ passed: 3, failed: 1, skipped: 0 }, 1)).toEqual({
      line: '3 passed, 1 failed',
      exitCode: 1,
    });
  });

  it.each([
    ['a runner that left nothing', undefined, 0],
    ['a runner that was killed', undefined, null],
    ['a run without tests', { passed: 0, failed: 0, skipped: 0 }, 0],
    ['a run in which everything was skipped', { passed: 0, failed: 0, skipped: 4 }, 0],
    ['a bad end with nothing to show for it', { passed: 4, failed: 0, skipped: 0 }, 1],
  ])('counts %s as one failure', (_what, found, exitCode) => {
    const result = verdict(found, exitCode);
    expect(result.line).toMatch(/^\d+ passed, 1 failed/);
    expect(result.exitCode).toBe(1);
  });

  it('fails where tests failed, even if the runner ended well', () => {
    expect(verdict({ passed: 1, failed: 2, skipped: 0 }, 0).exitCode).toBe(1);
  });
});
