/** Writes the test vectors of docs/spec, or with `--check` says whether they are what they would be written as. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainVectors } from './chain-vectors.ts';

const FILE = 'docs/spec/vectors/chain.json';
const USAGE = `Usage: spec-vectors.ts [--check]

Writes ${FILE}. With --check it writes nothing and exits 1 where the file differs.
`;

const path = join(import.meta.dirname, '..', FILE);
const args = process.argv.slice(2);
if (args.length === 0) {
  writeFileSync(path, chainVectors());
  process.stdout.write(`wrote ${FILE}\n`);
} else if (args.length === 1 && args[0] === '--check') {
  const same = readFileSync(path, 'utf8') === chainVectors();
  process.stdout.write(
    same ? `${FILE} is up to date\n` : `${FILE} differs from what docs/spec/chain.md makes of its inputs\n`,
  );
  process.exitCode = same ? 0 : 1;
} else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
