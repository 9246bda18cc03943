import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, run } from '../harness/running-server.ts';

/** A probe that runs by itself, as a person starts it. */
export interface ProbeProcess {
  /** The address of its MCP endpoint. */
  readonly url: string;
  /** What the clients that came are reported to have done. */
  report(): Promise<readonly ProbeReport[]>;
  /** Their transcripts, as they are kept in conformance/transcripts. */
  transcripts(): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

/** The part of the probe's report that is used here. */
export interface ProbeReport {
  readonly client: string;
  readonly version: string;
  readonly era: string | null;
  readonly revisions: readonly string[];
  readonly capabilities: unknown;
  readonly walk: readonly string[];
  readonly oddities: readonly string[];
}

const MAIN = join(ROOT, 'apps/probe/src/main.ts');

/** Starts a probe on a free port and waits until it answers. */
export async function startProbe(phase: 'open' | 'auth', data: string): Promise<ProbeProcess> {
  const args = [MAIN, '--phase', phase, '--port', '0', '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = /at (http:\S+);/.exec(line)?.[1];
  if (url === undefined) throw new Error(`the probe said: ${line}`);
  const ask = async (command: string, ...rest: string[]): Promise<unknown> => {
    const answer = await run(process.execPath, [MAIN, command, '--data', data, ...rest], process.env);
    if (answer.code !== 0) throw new Error(answer.stderr);
    return JSON.parse(answer.stdout);
  };
  return {
    url,
    report: () => ask('report', '--json') as Promise<readonly ProbeReport[]>,
    transcripts: () => ask('transcripts') as Promise<readonly unknown[]>,
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      await closed;
    },
  };
}
