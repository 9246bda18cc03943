import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cores, pinCores } from '../cores.ts';
import { startUnsay, type UnsayServer } from '../unsay-server.ts';
import { bodyOf, modernRequest, statusOf, writeRequest } from './mcp-wire.ts';
import { RawConnection } from './raw-connection.ts';

/** The fact that is read and corrected. A read of it carries a retraction, and that its review is overdue. */
export const FACT = 'care://ray/wound';

/** How much of everything a run takes. */
export interface Size {
  readonly rounds: number;
  /** Milliseconds of one round of a load. */
  readonly roundMs: number;
  /** Milliseconds of load before the first round: some servers reach their best only after seconds of it. */
  readonly warmUpMs: number;
  readonly connections: number;
  readonly idleStreams: number;
  readonly memoryRounds: number;
  /** Streams that one correction is told to. */
  readonly streams: readonly number[];
  readonly missed: number;
}

export interface Scene {
  readonly cores: Cores;
  /** Whether the servers of others take part. */
  readonly peers: boolean;
  readonly folder: string;
  readonly secret: string;
  readonly unsay: UnsayServer;
  readonly port: number;
  readonly pid: number;
  /** A read's answer, parsed; the floors answer with as much. */
  readonly sample: object;
  readonly closers: (() => unknown)[];
}

const CLI = fileURLToPath(new URL('../../../apps/unsay/src/cli/unsay.ts', import.meta.url));

/** Starts Unsay on a folder of its own, with one correction in it. What ends everything again is in `closers`. */
export async function openScene(closers: (() => unknown)[], peers: boolean): Promise<Scene> {
  const cores = pinCores();
  const folder = mkdtempSync(join(tmpdir(), 'unsay-bench-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const secret = randomBytes(32).toString('hex');
  const unsay = await startOn({ cores, secret }, join(folder, 'unsay'));
  closers.push(unsay.stop);
  const port = Number(unsay.url.port);
  const connection = await RawConnection.open(port);
  const written = await connection.send(writeRequest(FACT, 'Keep the dressing dry until Friday.', secret));
  if (statusOf(written) !== 201) throw new Error(`no correction was written: ${bodyOf(written)}`);
  const read = await connection.send(modernRequest('resources/read', { uri: FACT }, unsay.token, FACT));
  connection.close();
  const sample = JSON.parse(bodyOf(read)) as object;
  if (!('result' in sample)) throw new Error(`the fact cannot be read: ${bodyOf(read)}`);
  return { cores, peers, folder, secret, unsay, port, pid: unsay.pid, sample, closers };
}

/** Starts Unsay on a folder, with no limit that the streams or the replay of a scenario would run into. */
export function startOn(
  { cores, secret }: Pick<Scene, 'cores' | 'secret'>,
  data: string,
  more: Readonly<Record<string, string>> = {},
): Promise<UnsayServer> {
  const limits = { UNSAY_STREAMS_PER_PRINCIPAL: '100000', UNSAY_REPLAY_LIMIT: '20000' };
  return startUnsay(cores, data, secret, { ...limits, ...more });
}

/** The address that tokens of a server are for whose port is not known before it starts. */
export const PUBLIC_URL = 'http://localhost:8787';

/** A token of an hour for what is spoken to the demonstration's subject, made on a stopped folder. */
export function mintOn(data: string): string {
  const args = [
    'token',
    'mint',
    '--sub',
    'bench',
    '--scope',
    'care.read.user',
    '--subject',
    'ray',
    '--data',
    data,
    '--public-url',
    PUBLIC_URL,
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`no token was minted: ${stderr}`);
  return stdout.trim();
}

export const UNSAY_CLI = CLI;
