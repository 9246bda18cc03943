/** `npm run check`: types, lint and format, and the gates of the house. Exits 1 when any of them fails. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './bootstrap.mjs';

interface Step {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

const USAGE = `Usage: npm run check [-- --fix]

Runs, and prints what fails of:
  types             tsc -b over every workspace, tests included
  lint and format   biome check; with --fix it rewrites what it can
  gates             import direction, clock and randomness, names and sizes (test/house)

Exits 0 when all of them pass, 1 when one fails, 2 when it was called wrongly.
`;

const options = read(process.argv.slice(2));
if (options === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (options.help) {
  process.stdout.write(USAGE);
} else {
  const failed = steps(options.fix).filter((step) => !passes(step));
  process.stdout.write(
    failed.length === 0 ? 'check: passed\n' : `check: failed: ${failed.map(({ name }) => name).join('; ')}\n`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function read(args: string[]): { help: boolean; fix: boolean } | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: { help: { type: 'boolean', short: 'h' }, fix: { type: 'boolean' } },
    });
    return { help: values.help === true, fix: values.fix === true };
  } catch {
    return undefined;
  }
}

function steps(fix: boolean): readonly Step[] {
  return [
    { name: 'types', program: 'typescript/bin/tsc', args: ['-b'] },
    {
      name: 'lint and format',
      program: '@biomejs/biome/bin/biome',
      args: ['check', '--error-on-warnings', ...(fix ? ['--write'] : [])],
    },
    {
      name: 'gates',
      program: 'vitest/vitest.mjs',
      // The toolchain test is the two steps above, for `npm test`.
      args: ['run', 'test/house', '--exclude=test/house/toolchain.test.ts', '--reporter=dot'],
    },
  ];
}

function passes({ name, program, args }: Step): boolean {
  process.stdout.write(`check: ${name} …\n`);
  const run = spawnSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return run.status === 0;
}
