import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../harness/running-server.ts';

/** Programs of others that are installed on demand, by a lock file of their own. */
export interface ProgramFolder {
  readonly folder: string;
  /** What it is about to take, for whoever waits. */
  readonly cost: string;
}

/** Real clients. */
export const CLIENTS: ProgramFolder = {
  folder: join(ROOT, 'conformance/clients'),
  cost: 'Installing the clients (about 400 packages, 700 MB; half a minute) …',
};

/** Programs that judge a sign-in. */
export const REFEREES: ProgramFolder = {
  folder: join(ROOT, 'conformance/referees'),
  cost: 'Installing the referees (about 50 packages, 64 MB) …',
};

/** Installs programs by their lock file, where what is installed is not by this one. */
export async function installPrograms(
  { folder, cost }: ProgramFolder,
  print: (line: string) => void,
): Promise<void> {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = join(folder, 'node_modules/.installed-by.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  print(cost);
  const args = [
    'ci',
    '--workspaces=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--ignore-scripts',
  ];
  const { code, stderr } = await run('npm', [...args, '--prefix', folder], process.env);
  if (code !== 0) throw new NotInstalled(stderr.split('\n').slice(0, 4).join(' '));
  writeFileSync(installed, lock);
}

/** The programs could not be installed; the message has npm's first lines. */
export class NotInstalled extends Error {}

/** The version of a program's package, as it is pinned. */
export function versionOf({ folder }: ProgramFolder, program: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const version: unknown = dependencies[program];
  if (typeof version !== 'string') throw new Error(`${folder}/package.json does not name ${program}`);
  return version;
}
