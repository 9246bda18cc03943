import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A program of this folder that runs in a process of its own and says what it does line by line. */
export interface Child extends AsyncDisposable {
  /** The next line of its standard output, or null at its end. */
  line(): Promise<string | null>;
  /** Kills it as a power cut would, with no chance to tidy up, and gives the lines it had still said. */
  kill(): Promise<string[]>;
  /** Waits for its own end. */
  ended(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts `program`, a file beside this one. */
export function startChild(program: string, ...parameters: string[]): Child {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [path, ...parameters],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });

  async function line(): Promise<string | null> {
    const next = await lines.next();
    return next.done ? null : next.value;
  }

  async function kill(): Promise<string[]> {
    child.kill('SIGKILL');
    const rest: string[] = [];
    for (let next = await line(); next !== null; next = await line()) rest.push(next);
    await closed;
    return rest;
  }

  return {
    line,
    kill,
    async ended() {
      await closed;
      return { code: child.exitCode, stderr };
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await kill();
    },
  };
}
