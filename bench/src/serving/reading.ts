import { join } from 'node:path';
import { type Finding, finding } from '../mechanism/target.ts';
import { median } from '../statistics.ts';
import { bodyOf, headerOf, INITIALIZE, legacyRequest, modernRequest } from './mcp-wire.ts';
import { hammer, RawConnection } from './raw-connection.ts';
import { PEERS, processorSeconds, startScript } from './server-process.ts';
import { FACT, type Scene, type Size } from './serving-scene.ts';

/** A server that answers a read over and over. */
interface Target {
  readonly name: string;
  readonly pid: number;
  readonly request: Buffer;
  readonly port: number;
}

/** What one round of one target gave. */
interface Round {
  readonly perSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly cost: number;
}

/** Reads a second and what each costs: Unsay, the floor, and the peers that are installed, in turns. */
export async function reading(scene: Scene, size: Size): Promise<Finding[]> {
  const targets = await startTargets(scene);
  const rounds = new Map<string, Round[]>(targets.map(({ name }) => [name, []]));
  for (const target of targets) await load(target, size, size.warmUpMs);
  for (let round = 0; round < size.rounds; round += 1) {
    const first = round % targets.length;
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
      rounds.get(target.name)?.push(await measure(target, size));
    }
  }
  const of = (name: string): readonly Round[] => rounds.get(name) ?? [];
  return findings(of, [...rounds.keys()]);
}

function findings(of: (name: string) => readonly Round[], names: readonly string[]): Finding[] {
  const told = names
    .map((name) => {
      const perSecond = Math.round(median(of(name).map((round) => round.perSecond)));
      return `${name} ${perSecond}/s ${Math.round(median(of(name).map(({ cost }) => cost)))} µs`;
    })
    .join(', ');
  const faster = (other: string): number[] =>
    of('unsay').map(({ perSecond }, index) => perSecond / (of(other)[index]?.perSecond ?? Number.NaN));
  const costs = of('unsay').map(({ cost }, index) => cost / (of('raw echo')[index]?.cost ?? Number.NaN));
  const results = [finding('reads: processor time of one ÷ raw JSON echo', 'most', 2, '×', costs, told)];
  if (names.includes('sdk 2'))
    results.push(finding('reads a second ÷ bare SDK 2', 'least', 4, '×', faster('sdk 2'), told));
  const others = ['sdk 1', 'fastmcp'].filter((name) => names.includes(name));
  if (others.length > 0) {
    const fastest = of('unsay').map((_, index) =>
      Math.min(...others.map((name) => faster(name)[index] ?? 0)),
    );
    results.push(finding('reads a second ÷ fastest of SDK 1 and fastmcp', 'least', 2.5, '×', fastest, told));
  }
  return results;
}

/** One round, warmed up right before. */
async function measure(target: Target, size: Size): Promise<Round> {
  await load(target, size, size.roundMs);
  const before = processorSeconds(target.pid);
  const { answered, seconds } = await load(target, size, size.roundMs);
  return { perSecond: answered / seconds, cost: ((processorSeconds(target.pid) - before) / answered) * 1e6 };
}

/** The connections are new each time: servers close those that were idle for a while. */
async function load(
  { port, request }: Target,
  { connections: count }: Size,
  ms: number,
): ReturnType<typeof hammer> {
  const connections = await Promise.all(Array.from({ length: count }, () => RawConnection.open(port)));
  try {
    return await hammer(connections, request, ms);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function startTargets(scene: Scene): Promise<Target[]> {
  const { cores, peers, sample, unsay, port, pid, closers } = scene;
  const read = modernRequest('resources/read', { uri: FACT }, unsay.token, FACT);
  const targets = [await target('unsay', { port, pid }, read)];
  const echo = await startScript(cores, join(PEERS, 'servers/raw-echo.mjs'), [JSON.stringify(sample)]);
  closers.push(echo.stop);
  targets.push(await target('raw echo', echo, read));
  if (!peers) return targets;
  const text = textOf(sample);
  for (const [name, script] of [
    ['sdk 2', 'sdk-2.mjs'],
    ['sdk 1', 'sdk-1.mjs'],
    ['fastmcp', 'fastmcp.mjs'],
  ] as const) {
    const peer = await startScript(cores, join(PEERS, 'servers', script), [FACT, text]);
    closers.push(peer.stop);
    const request =
      name === 'sdk 2'
        ? modernRequest('resources/read', { uri: FACT }, null, FACT)
        : legacyRequest('resources/read', { uri: FACT }, null, await openSession(peer.port));
    targets.push(await target(name, peer, request));
  }
  return targets;
}

async function target(
  name: string,
  { port, pid }: { readonly port: number; readonly pid: number },
  request: Buffer,
): Promise<Target> {
  const connection = await RawConnection.open(port);
  const answer = await connection.send(request);
  connection.close();
  if (!bodyOf(answer).includes('"contents"'))
    throw new Error(`${name} does not answer a read: ${answer.toString('utf8').slice(0, 500)}`);
  return { name, pid, port, request };
}

async function openSession(port: number): Promise<string | null> {
  const connection = await RawConnection.open(port);
  const opened = await connection.send(legacyRequest('initialize', INITIALIZE, null, null));
  connection.close();
  return headerOf(opened, 'mcp-session-id') ?? null;
}

function textOf(sample: object): string {
  const { result } = sample as { result: { contents: { text: string }[] } };
  return result.contents[0]?.text ?? '';
}
