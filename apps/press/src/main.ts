/** `npm run press`: the publishing API and its site. `-- help` says more. */
import { randomBytes } from 'node:crypto';
import { runCommandLine } from './cli/command-line.ts';

// The only file of Press that reads the machine's clock and its randomness.
const machine = {
  now: () => Date.now(),
  draw: (length: number) => new Uint8Array(randomBytes(length)),
};

for (const output of [process.stdout, process.stderr]) {
  // Whoever reads may stop early, as `head` does; what is left then goes nowhere.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
process.exitCode = await runCommandLine(process.argv.slice(2), machine, {
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
});
