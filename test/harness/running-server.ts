import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The secret of the system writer in every test server. */
export const WRITE_SECRET = 'a secret of the tests, longer than thirty-two bytes';

/** A server as a person starts it: `npm start`, in a process group of its own. */
export interface RunningServer {
  readonly url: string;
  readonly data: string;
  /** What it has printed. */
  readonly lines: readonly string[];
  /** What it has printed to standard error. */
  faults(): string;
  /** {@link faults}, once there is any whole line of them: what is printed arrives after the answer it is about. */
  anyFault(): Promise<string>;
  /** The pairing code that it printed for a page. */
  code(page: 'landing' | 'device' | 'console'): string;
  /** Runs `npm run --silent unsay -- …` on its folder. */
  unsay(...args: string[]): Promise<CommandResult>;
  /** Mints a token over the control socket. */
  mint(scope: string, grant?: Grant): Promise<string>;
  /** Asks the running server over its control socket: what the command line does, without its start. */
  operate(name: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The lines of its export, over its control socket. */
  exported(): Promise<readonly ExportLine[]>;
  /** Ctrl-C, until everything has ended; gives the exit code. */
  stop(): Promise<number | null>;
  /** SIGTERM to npm alone, as a service manager ends it; gives the exit code. */
  terminate(): Promise<number | null>;
  /** SIGKILL to the whole group. */
  kill(): Promise<void>;
}

/** A line of an export; what it has beside its type is docs/spec/export.md. */
export type ExportLine = { readonly type: string } & Readonly<Record<string, unknown>>;

/** For whom a token is. `subject` is one id, several separated by commas, or `*`; `ttl` is in seconds. */
export interface Grant {
  readonly sub?: string;
  readonly client?: string;
  readonly subject?: string;
  readonly ttl?: number;
}

/** How a command ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder that is removed by {@link removeFolder}. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'unsay-test-'));
}

/** Removes a folder and everything in it. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** The environment of a test server: only what a person would have, and the given settings. */
/** Tests ask faster than anybody; those of the limits set their own. */
const LIFTED_LIMITS = {
  UNSAY_REQUESTS_PER_SECOND: '1000000',
  UNSAY_WRITES_PER_MINUTE: '1000000',
  UNSAY_FAILED_AUTH_PER_MINUTE: '1000000',
};

export function testEnvironment(data: string, settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('UNSAY_'));
  return {
    ...Object.fromEntries(inherited),
    UNSAY_PORT: '0',
    UNSAY_DATA: data,
    UNSAY_WRITE_SECRET: WRITE_SECRET,
    ...LIFTED_LIMITS,
    ...settings,
  };
}

/** Runs `npm start`, in a process group of its own. */
export function spawnStart(env: NodeJS.ProcessEnv): ChildProcess {
  return spawn('npm', ['start', '--silent'], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts `npm start` and waits for its ready line. */
export async function startServer(
  data: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const env = testEnvironment(data, settings);
  const child = spawnStart(env);
  const printed = { lines: [] as string[], faults: '' };
  const { lines } = printed;
  await ready(child, printed);
  const url = lines.map((line) => /^ {2}MCP +(\S+)\/mcp$/.exec(line)?.[1]).find(Boolean);
  if (url === undefined) throw new Error(`the server printed no MCP address:\n${lines.join('\n')}`);
  const socket = join(data, 'control.sock');
  return {
    url,
    data,
    lines,
    faults: () => withoutBuild(printed.faults),
    async anyFault() {
      while (!withoutBuild(printed.faults).endsWith('\n')) await once(child.stderr ?? child, 'data');
      return withoutBuild(printed.faults);
    },
    code(page) {
      const path = { landing: '/', device: '/device', console: '/console' }[page];
      const code = lines.map((line) => line.split(`${url}${path}#`)[1]).find(Boolean);
      if (code === undefined) throw new Error(`no code was printed for the ${page} page`);
      return code;
    },
    unsay: (...args) => run('npm', ['run', '--silent', 'unsay', '--', ...args], env),
    async mint(scope, { sub = 'tester', client = 'contract-test', subject = 'ray', ttl = 3600 } = {}) {
      const subjects = subject.split(',');
      const grant = { sub, scope, clientId: client, subjects, ttlSeconds: ttl };
      const { token } = (await operate(socket, 'token-mint', grant)) as { token?: string };
      if (token === undefined) throw new Error('no token was minted');
      return token;
    },
    operate: (name, parameters = {}) => operate(socket, name, parameters),
    exported: async () => exportLines(await text(await ask(socket, 'export', {}))),
    stop: () => endGroup(child, 'SIGINT'),
    async terminate() {
      const closed = once(child, 'close') as Promise<[number | null]>;
      child.kill('SIGTERM');
      return (await closed)[0];
    },
    kill: async () => void (await endGroup(child, 'SIGKILL')),
  };
}

/** Runs `npm start` to its end: one that is refused. */
export async function startToItsEnd(env: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  const result = await run('npm', ['start', '--silent', '--', ...args], env);
  return { ...result, stderr: withoutBuild(result.stderr) };
}

// Whoever changed a page since the last build has it built by the next start, which says so.
function withoutBuild(faults: string): string {
  return faults.replace(/^Building the pages …\n/, '');
}

/** Runs a command to its end. */
export async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

async function ready(child: ChildProcess, printed: { lines: string[]; faults: string }): Promise<void> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the server has no output');
  stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.faults += text;
  });
  const isReady = await new Promise<boolean>((resolve) => {
    const reader = createInterface({ input: stdout });
    reader.on('line', (line) => {
      printed.lines.push(line);
      if (/^ready in \d+ ms$/.test(line)) resolve(true);
    });
    reader.once('close', () => resolve(false));
  });
  if (isReady) return;
  throw new Error(`the server ended before it was ready:\n${printed.lines.join('\n')}\n${printed.faults}`);
}

async function operate(socketPath: string, name: string, parameters: object): Promise<unknown> {
  const result = (await json(await ask(socketPath, name, parameters))) as { data: unknown };
  return result.data;
}

async function ask(socketPath: string, name: string, parameters: object): Promise<IncomingMessage> {
  const sent = request({ socketPath, path: `/${name}`, method: 'POST', agent: false });
  sent.end(JSON.stringify(parameters));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** The lines of an export, read. */
export function exportLines(exported: string): ExportLine[] {
  return exported
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ExportLine);
}

/**
 * Sends a signal to a process group and waits until everything has ended; gives the exit code.
 *
 * The group, since npm and a shell stand between: a signal to the first alone would leave the server running.
 * Ended is when nobody holds the output any more, since npm may go before the server does.
 */
export async function endGroup(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.stdout?.destroyed || child.pid === undefined) return child.exitCode;
  const closed = once(child, 'close') as Promise<[number | null]>;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already; its output closes in a moment.
  }
  const [code] = await closed;
  return code;
}
