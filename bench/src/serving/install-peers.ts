import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS } from './server-process.ts';

const ARGS = ['ci', '--workspaces=false', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

/** Installs the peers by their own lock file, where what is installed is not by this one. */
export async function installPeers(print: (line: string) => void): Promise<void> {
  const lock = readFileSync(join(PEERS, 'package-lock.json'), 'utf8');
  const installed = join(PEERS, 'node_modules/.installed-by.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  print('bench: installing the peers (about 200 packages, 63 MB) …');
  const { status, stderr } = spawnSync('npm', [...ARGS, '--prefix', PEERS], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(
      `the peers could not be installed; leave them out with --no-peers. ${stderr.split('\n')[0]}`,
    );
  writeFileSync(installed, lock);
}
