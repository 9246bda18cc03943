import { parseArgs } from 'node:util';
import { describeMachine, isInMemory } from '../machine.ts';
import { textOf } from '../mechanism/mechanism.ts';
import { exitCodeOf, type Finding, isMet } from '../mechanism/target.ts';
import { fanOut } from './fan-out.ts';
import { installPeers } from './install-peers.ts';
import { reading } from './reading.ts';
import { resume } from './resume.ts';
import { openScene, type Scene, type Size } from './serving-scene.ts';
import { start } from './start.ts';
import { streams } from './streams.ts';

const USAGE = `Usage: npm run bench -- serving [--only LIST] [--quick] [--strict] [--no-peers] [--json]
       npm run bench -- reading|streams|fan-out|resume|start [--quick] [--strict] [--json]

Measures the running server beside plain node:http and, for reads, beside bare servers of the SDKs and fastmcp, in
the same run and in turns:

  reading   reads a second, and the processor time of one
  streams   memory of an open stream, 5,000 of them
  fan-out   one correction to 1,000 and to 5,000 streams, each of which has it read again
  resume    10,000 missed corrections, told to a client that comes back
  start     from the start of a process to its first answered read

  --only LIST   only these, separated by commas
  --quick       a small run that shows that everything works; its figures mean nothing
  --strict      exit 1 when a target is missed
  --no-peers    leave out the servers of others, which npm installs when they are not there (63 MB)
  --json        one JSON object instead of the table

Exits 0 when it ran, whatever it found unless --strict is given, 1 when it could not, 2 when it was called wrongly.
`;

const SCENARIOS: Readonly<Record<string, (scene: Scene, size: Size) => Promise<Finding[]>>> = {
  reading,
  streams,
  'fan-out': fanOut,
  resume,
  start,
};

const FULL: Size = {
  rounds: 7,
  roundMs: 2000,
  warmUpMs: 10_000,
  connections: 50,
  idleStreams: 5000,
  memoryRounds: 3,
  streams: [1000, 5000],
  missed: 10_000,
};
const QUICK: Size = {
  rounds: 1,
  roundMs: 50,
  warmUpMs: 50,
  connections: 2,
  idleStreams: 210,
  memoryRounds: 1,
  streams: [10, 20],
  missed: 20,
};

/** A scenario that takes longer hangs. */
const LONGEST_SCENARIO_MS = 600_000;

/** Whether a scenario can be called by its name alone. */
export function isServingScenario(name: string): boolean {
  return Object.hasOwn(SCENARIOS, name);
}

/** Runs the scenarios and gives the exit code. */
export async function measureServing(args: readonly string[]): Promise<number> {
  const asked = readServingOptions(args);
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n\n${USAGE}`);
    return 2;
  }
  const closers: (() => unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  };
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted = true;
      void closeAll().finally(() => process.exit(130));
    });
  }
  try {
    const machine = describeMachine();
    const peers = asked.peers && asked.only.includes('reading');
    if (peers) await installPeers((line) => process.stderr.write(`${line}\n`));
    const size = asked.quick ? QUICK : FULL;
    const scene = await openScene(closers, peers);
    const findings: Finding[] = [];
    for (const name of asked.only) {
      process.stderr.write(`bench: ${name} …\n`);
      findings.push(...(await inTime(name, SCENARIOS[name]?.(scene, size))));
    }
    const inMemory = isInMemory(scene.folder);
    process.stdout.write(
      asked.json
        ? `${JSON.stringify({ machine, inMemory, findings: findings.map((one) => ({ ...one, met: isMet(one) })) })}\n`
        : textOf(`the server (${scene.cores.said})`, machine, inMemory, findings),
    );
    return exitCodeOf(findings, asked.strict);
  } catch (error) {
    // Whatever is interrupted breaks off somewhere; that is no news.
    if (!interrupted) process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    await closeAll();
  }
}

/** The findings, or an end: a server that never answers must not keep the load waiting for it. */
async function inTime(name: string, work: Promise<Finding[]> | undefined): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not come to an end`)), LONGEST_SCENARIO_MS);
  });
  try {
    return await Promise.race([work ?? [], over]);
  } finally {
    clearTimeout(timer);
  }
}

interface Asked {
  readonly only: readonly string[];
  readonly quick: boolean;
  readonly strict: boolean;
  readonly peers: boolean;
  readonly json: boolean;
}

function readServingOptions(args: readonly string[]): Asked | string {
  try {
    const flag = { type: 'boolean' } as const;
    const { values } = parseArgs({
      args: [...args],
      options: { only: { type: 'string' }, quick: flag, strict: flag, 'no-peers': flag, json: flag },
    });
    const only = values.only?.split(',') ?? Object.keys(SCENARIOS);
    const unknown = only.filter((name) => !isServingScenario(name));
    if (unknown.length > 0) return `There is no scenario ${unknown.join(', ')}.`;
    const { quick = false, strict = false, json = false, 'no-peers': without = false } = values;
    return { only, quick, strict, json, peers: !without };
  } catch (error) {
    return (error as Error).message;
  }
}
