import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Task } from './bare-commit.ts';
import type { Cores } from './cores.ts';
import type { Samples } from './raw-loop.ts';

/** A process of the floor. It ends with the process that started it. */
interface FloorProcess {
  /** Sends a message and waits for the next one back. */
  ask(message: object | string): Promise<unknown>;
  close(): void;
}

/** Starts the raw loop and gives the address at which it serves answers like the samples. */
export async function startRawLoop(cores: Cores, samples: Samples): Promise<{ url: URL; close(): void }> {
  const loop = await start(cores, 'raw-loop.ts', []);
  const port = await loop.ask(samples);
  return { url: new URL(`http://127.0.0.1:${port}`), close: loop.close };
}

/** Starts the bare commits on a store that Unsay made and that no server holds. */
export async function startBareCommit(
  cores: Cores,
  store: string,
): Promise<{ run(task: Task): Promise<number>; close(): void }> {
  const commit = await start(cores, 'bare-commit.ts', [store]);
  return { run: async (task) => Number(await commit.ask(task)), close: commit.close };
}

async function start(cores: Cores, file: string, args: readonly string[]): Promise<FloorProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const line = cores.onServerCore(process.execPath, [path, ...args]);
  const child = spawn(line.command, line.args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await nextMessage(child, file);
  return {
    ask(message) {
      const answer = nextMessage(child, file);
      child.send(message);
      return answer;
    },
    close: () => void child.kill(),
  };
}

async function nextMessage(child: ChildProcess, file: string): Promise<unknown> {
  const over = new AbortController();
  const ended = once(child, 'exit', { signal: over.signal }).then(() => {
    throw new Error(`${file} ended before it answered`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: over.signal }), ended]);
    return message;
  } finally {
    over.abort();
  }
}
