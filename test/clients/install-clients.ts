import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../harness/running-server.ts';

const FOLDER = join(ROOT, 'conformance/clients');

/** Installs the clients by their own lock file, where what is installed is not by this one. */
export async function installClients(print: (line: string) => void): Promise<void> {
  const lock = readFileSync(join(FOLDER, 'package-lock.json'), 'utf8');
  const installed = join(FOLDER, 'node_modules/.installed-by.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  print('Installing the clients (about 400 packages, 700 MB; half a minute) …');
  const args = [
    'ci',
    '--workspaces=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--ignore-scripts',
  ];
  const { code, stderr } = await run('npm', [...args, '--prefix', FOLDER], process.env);
  if (code !== 0) throw new NotInstalled(stderr.split('\n').slice(0, 4).join(' '));
  writeFileSync(installed, lock);
}

/** The clients could not be installed; the message has npm's first lines. */
export class NotInstalled extends Error {}

/** The version of a client's package, as it is pinned. */
export function versionOf(program: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'));
  const version: unknown = dependencies[program];
  if (typeof version !== 'string')
    throw new Error(`conformance/clients/package.json does not name ${program}`);
  return version;
}
