import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Cores } from '../cores.ts';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Where the servers are that Unsay is measured beside. */
export const PEERS = fileURLToPath(new URL('../../peers/', import.meta.url));

/** Starts a script that prints the port it listens at. */
export async function startScript(
  cores: Cores,
  script: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const line = cores.onServerCore(process.execPath, [script, ...args]);
  const env = { ...process.env, ...more };
  const child = spawn(line.command, line.args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const port = Number(await firstLine(child, script));
  return { port, pid: child.pid ?? 0, stop: () => stopped(child) };
}

async function firstLine({ stdout }: ChildProcess, script: string): Promise<string> {
  if (stdout === null) throw new Error(`${script} has no output`);
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error(`${script} ended before it listened`);
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * Processor time that a process has taken so far, in seconds: the sum over its threads, each as the kernel's scheduler
 * counts it in nanoseconds (`/proc/PID/task/TID/schedstat`, Linux). `/proc/PID/stat` has it in ticks of 10 ms.
 */
export function processorSeconds(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e9)
    .reduce((sum, seconds) => sum + seconds, 0);
}

const COLLECT = new URL('collect-when-told.ts', import.meta.url).href;

/** The environment of a server that {@link collectedKib} looks at. */
export const COLLECT_WHEN_TOLD: Readonly<Record<string, string>> = {
  NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${COLLECT}`].filter(Boolean).join(' '),
};

const LOOKS = 4;
const BETWEEN_LOOKS_MS = 100;

/** Memory of a process once nothing is left in it that nothing holds, in KiB (Linux): the least of a few looks. */
export async function collectedKib(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS; look += 1) {
    process.kill(pid, 'SIGUSR2');
    await pause(BETWEEN_LOOKS_MS);
    least = Math.min(least, residentKib(pid));
  }
  return least;
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
