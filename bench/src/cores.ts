import { spawnSync } from 'node:child_process';

/** Where processes run. */
export interface Cores {
  /** For the report: which side has which core, or why none has. */
  readonly said: string;
  /** A command line that runs `command` on the core of the servers. */
  onServerCore(command: string, args: readonly string[]): { command: string; args: readonly string[] };
}

/**
 * Gives this process, which is the load, one core and leaves another to the servers, so that neither takes
 * the other's time. Where `taskset` is missing or there is one core only, the system decides.
 */
export function pinCores(): Cores {
  const anywhere = (why: string): Cores => ({
    said: `not pinned to cores (${why}): ratios are less steady`,
    onServerCore: (command, args) => ({ command, args }),
  });
  const asked = spawnSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
  if (asked.error !== undefined || asked.status !== 0) return anywhere('taskset is not there');
  const allowed = readCoreList(asked.stdout);
  const [server] = allowed;
  const load = allowed.at(-1);
  if (server === undefined || load === undefined || server === load) return anywhere('there is one core');
  const pinned = spawnSync('taskset', ['-a', '-c', '-p', String(load), String(process.pid)]);
  if (pinned.status !== 0) return anywhere('taskset was refused');
  return {
    said: `servers on core ${server}, load on core ${load}`,
    onServerCore: (command, args) => ({ command: 'taskset', args: ['-c', String(server), command, ...args] }),
  };
}

/** Reads `pid 7's current affinity list: 0-2,5` as 0, 1, 2, 5. */
function readCoreList(line: string): number[] {
  const list = line.slice(line.lastIndexOf(':') + 1).trim();
  return list.split(',').flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
