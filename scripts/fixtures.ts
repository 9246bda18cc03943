/** `npm run fixtures`: writes the clips of the demonstration plan, or with `--check` says whether they are as made. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesizeClips } from './clip-synthesis.ts';

const FOLDER = 'apps/unsay/src/domain/clips';
const USAGE = `Usage: npm run fixtures [-- --check]

Synthesizes the clips of the demonstration plan into ${FOLDER}. With --check it
writes nothing and exits 1 where a file differs from what it would write.
`;

const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--help') {
  process.stdout.write(USAGE);
} else if (args.length > 1 || (args.length === 1 && args[0] !== '--check')) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  for (const { file, bytes } of synthesizeClips()) {
    const path = join(import.meta.dirname, '..', FOLDER, file);
    if (args.length === 0) writeFileSync(path, bytes);
    const same = args.length === 0 || isWritten(path, bytes);
    process.stdout.write(`${FOLDER}/${file}: ${bytes.length} bytes, ${same ? 'as made' : 'DIFFERS'}\n`);
    if (!same) process.exitCode = 1;
  }
}

function isWritten(path: string, bytes: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}
