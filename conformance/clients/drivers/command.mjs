import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const INSTALLED = join(import.meta.dirname, '..', 'node_modules');

/** The file of a program of an installed package. */
export function programOf(path) {
  return join(INSTALLED, path);
}

/** Runs a Node program of an installed package to its end and gives what it printed. */
export async function runNode(path, args, env = {}) {
  const child = spawn(process.execPath, [programOf(path), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(stderr.trim() || stdout.trim() || `ended with ${child.exitCode}`);
  return stdout;
}
