import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The environment of a server that a shell starts in its own way: `npm` is then a script with this line, in
 * which `"$@"` is what would have been run.
 */
export function startedBy(line: string, folder: string): { readonly PATH: string } {
  const { PATH = '' } = process.env;
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = join(bin, 'npm');
  writeFileSync(script, `#!/bin/sh\nPATH=\${PATH#*:}\nset -- npm "$@"\n${line}\n`);
  chmodSync(script, 0o755);
  return { PATH: `${bin}${delimiter}${PATH}` };
}
