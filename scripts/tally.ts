import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** What a test run came to. Whatever kept a test from running is a failure, never a silence. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts tests, and one failure for each file or suite that could not run and each unhandled error. */
export function tally(
  modules: readonly Pick<TestModule, 'children' | 'errors'>[],
  unhandledErrors: number,
): Tally {
  const count = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    for (const holder of [module, ...module.children.allSuites()]) {
      if (holder.errors().length > 0) count.failed += 1;
    }
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      count[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return count;
}

/**
 * The closing line of `npm test` and its exit code. A runner that left no tally, ran nothing, or ended badly with
 * nothing to show for it is one failure.
 */
export function verdict(
  found: Tally | undefined,
  exitCode: number | null,
): { line: string; exitCode: 0 | 1 } {
  const { passed, failed, skipped } = found ?? { passed: 0, failed: 0, skipped: 0 };
  const silent = failed === 0 && (passed === 0 || exitCode !== 0);
  const failures = silent ? 1 : failed;
  const line = `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return { line, exitCode: failures === 0 ? 0 : 1 };
}

/** Leaves the tally in the file that `TALLY_FILE` names, for the process that prints the closing line. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const file = process.env.TALLY_FILE;
    if (file !== undefined) writeFileSync(file, JSON.stringify(tally(modules, unhandledErrors.length)));
  }
}
