/** `npm run docs`: writes the generated documents anew, or with `--check` says whether one would change. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { GENERATED, readDocument } from './generated-documents.ts';

const USAGE = `Usage: npm run docs [-- --check]

Writes anew what follows from something else:
${GENERATED.map(({ path }) => `  ${path}`).join('\n')}
With --check it writes nothing. Exits 1 with --check where a file would change, 2 when it was called wrongly.
`;

const [mode = 'write', ...rest] = process.argv.slice(2);
if (rest.length > 0 || !['write', '--check', '--help', '-h'].includes(mode)) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (mode === '--help' || mode === '-h') {
  process.stdout.write(USAGE);
} else {
  for (const { path, text } of GENERATED) {
    const now = readDocument(path);
    const next = text(now);
    if (mode === 'write' && next !== now) writeFileSync(join(ROOT, path), next);
    const said = next === now ? 'up to date' : mode === 'write' ? 'written' : 'DIFFERS: run npm run docs';
    process.stdout.write(`${path}: ${said}\n`);
    if (mode === '--check' && next !== now) process.exitCode = 1;
  }
}
