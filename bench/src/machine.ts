import { spawnSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform, release } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Where and of what figures were taken. Without it they mean nothing. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly system: string;
  readonly node: string;
  /** The commit that was measured, `+changes` when the tree was not clean. */
  readonly commit: string;
  /** Load averages of 1, 5 and 15 minutes when the run began. */
  readonly load: readonly number[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
// statfs(2), TMPFS_MAGIC.
const TMPFS = 0x01021994;

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    commit: commit(),
    load: loadavg().map((average) => Math.round(average * 100) / 100),
  };
}

/** Whether a folder is kept in memory, where a durable commit costs nothing and means nothing. */
export function isInMemory(folder: string): boolean {
  return statfsSync(folder).type === TMPFS;
}

function commit(): string {
  const head = git('rev-parse', '--short', 'HEAD');
  if (head === null) return 'none';
  return git('status', '--porcelain') === '' ? head : `${head}+changes`;
}

function git(...args: readonly string[]): string | null {
  const { error, status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return error === undefined && status === 0 ? stdout.trim() : null;
}
