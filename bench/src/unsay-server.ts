import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cores } from './cores.ts';

/** A running Unsay, as its own start-up text describes it. */
export interface UnsayServer {
  readonly url: URL;
  /** The token that it prints: an hour, `care.read.user` for `ray`. */
  readonly token: string;
  readonly pid: number;
  /** Stops it and waits for its end; its store is whole and free then. */
  stop(): Promise<void>;
}

const CLI = fileURLToPath(new URL('../../apps/unsay/src/cli/unsay.ts', import.meta.url));

/** Starts Unsay on a folder with its defaults, and only the limits lifted that a load would run into. */
export async function startUnsay(
  cores: Cores,
  folder: string,
  secret: string,
  more: Readonly<Record<string, string>> = {},
): Promise<UnsayServer> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('UNSAY_'));
  const env = {
    ...Object.fromEntries(own),
    UNSAY_PORT: '0',
    UNSAY_DATA: folder,
    UNSAY_WRITE_SECRET: secret,
    UNSAY_WRITES_PER_MINUTE: '10000000',
    UNSAY_REQUESTS_PER_SECOND: '1000000',
    ...more,
  };
  const line = cores.onServerCore(process.execPath, [CLI, 'serve']);
  const child = spawn(line.command, line.args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = await startUpText(child);
  const port = /^ {2}MCP +\S+:(\d+)\/mcp$/m.exec(text)?.[1];
  const token = /^ {2}token +(\S+)$/m.exec(text)?.[1];
  if (port === undefined || token === undefined) {
    child.kill();
    throw new Error(`Unsay printed no address or no token:\n${text}`);
  }
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    token,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function startUpText({ stdout, stderr }: ChildProcess): Promise<string> {
  if (stdout === null || stderr === null) throw new Error('Unsay has no output');
  let faults = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    faults += text;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line);
    if (/^ready in \d+ ms$/.test(line)) return lines.join('\n');
  }
  throw new Error(`Unsay ended before it was ready:\n${lines.join('\n')}\n${faults}`);
}
