import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Finding, finding } from '../mechanism/target.ts';
import { median } from '../statistics.ts';
import { modernRequest } from './mcp-wire.ts';
import { RawConnection } from './raw-connection.ts';
import { PEERS } from './server-process.ts';
import { FACT, mintOn, PUBLIC_URL, type Scene, type Size, UNSAY_CLI } from './serving-scene.ts';

const LONGEST_START_MS = 30_000;

/** From the start of a process to the first answered read: Unsay on a store that is there, and plain node:http. */
export async function start(scene: Scene, { rounds }: Size): Promise<Finding[]> {
  const { folder, sample } = scene;
  const data = join(folder, 'started');
  await firstStart(data);
  const read = modernRequest('resources/read', { uri: FACT }, mintOn(data), FACT);
  const times = { unsay: [] as number[], raw: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const ours = await timeFrom(scene, [UNSAY_CLI, 'serve', '--data', data], 'UNSAY_PORT', read);
    const theirs = await timeFrom(
      scene,
      [join(PEERS, 'servers/raw-echo.mjs'), JSON.stringify(sample)],
      'PORT',
      read,
    );
    if (round < 0) continue;
    times.unsay.push(ours);
    times.raw.push(theirs);
  }
  const ratios = times.unsay.map((ms, index) => ms / (times.raw[index] ?? Number.NaN));
  const beside = `unsay ${median(times.unsay).toFixed(0)}, raw ${median(times.raw).toFixed(0)} ms`;
  return [finding('spawn to the first answered read ÷ raw', 'most', 3, '×', ratios, beside)];
}

/** Makes the folder, as somebody's very first start does; that one is not measured. */
async function firstStart(data: string): Promise<void> {
  const child = spawn(process.execPath, [UNSAY_CLI, 'seed', '--data', data], { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the folder of the starts could not be made');
}

async function timeFrom(
  { cores }: Scene,
  args: readonly string[],
  portVariable: string,
  read: Buffer,
): Promise<number> {
  const port = await freePort();
  const line = cores.onServerCore(process.execPath, args);
  // The audience of the token, whatever the port is.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('UNSAY_'));
  const env = {
    ...Object.fromEntries(own),
    [portVariable]: String(port),
    UNSAY_METRICS_PORT: '0',
    UNSAY_PUBLIC_URL: PUBLIC_URL,
  };
  const begun = performance.now();
  const child = spawn(line.command, line.args, { stdio: 'ignore', env });
  try {
    for (;;) {
      const answered = await answerOf(port, read);
      if (answered) return performance.now() - begun;
      if (performance.now() - begun > LONGEST_START_MS) throw new Error('a server did not answer in time');
      if (child.exitCode !== null) throw new Error(`the server ended: ${args.join(' ').slice(0, 200)}`);
    }
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

/** Whether a read was answered with contents; until somebody listens it is not. */
async function answerOf(port: number, read: Buffer): Promise<boolean> {
  try {
    const connection = await RawConnection.open(port);
    const answer = await connection.send(read);
    connection.close();
    return answer.includes('"contents"');
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
