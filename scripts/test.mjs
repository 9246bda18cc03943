/**
 * `npm test`: installs what is missing, builds the pages, runs every test. Arguments go to vitest.
 *
 * Vitest runs in a process of its own, so that even its crash ends in the closing line and nothing prints after it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, finished, orRefuse, ROOT } from './bootstrap.mjs';
import { buildPages } from './build-pages.mjs';

await orRefuse(async () => {
  await bootstrap();
  await buildPages();
  const { verdict } = await import('./tally.ts');
  const folder = mkdtempSync(join(tmpdir(), 'tally-'));
  const file = join(folder, 'tally.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=./scripts/tally.ts'];
  const outcome = await finished(
    spawn(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, TALLY_FILE: file },
    }),
  );
  const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  rmSync(folder, { recursive: true, force: true });
  const { line, exitCode } = verdict(found, outcome === 'not-started' ? 1 : outcome.code);
  process.stdout.write(`${line}\n`);
  process.exitCode = exitCode;
});
