import { parseArgs } from 'node:util';
import { describeMachine, isInMemory } from '../machine.ts';
import { textOf } from '../mechanism/mechanism.ts';
import { type Finding, isMet } from '../mechanism/target.ts';
import { installPeers } from './install-peers.ts';
import { reading } from './reading.ts';
import { resume } from './resume.ts';
import { openScene, type Scene, type Size } from './serving-scene.ts';
import { start } from './start.ts';
import { streams } from './streams.ts';

const USAGE = `Usage: npm run bench -- serving [--only reading,streams,resume,start] [--quick] [--no-peers] [--json]

Measures the running server beside plain node:http and, for reads, beside bare servers of the SDKs and fastmcp, in
the same run and in turns: reads a second and what each costs, memory of an open stream, one correction to 1,000 and
5,000 streams, the resume of 10,000 missed corrections, and the time from a start to the first answered read.

  --only LIST   only these, separated by commas
  --quick       a small run that shows that everything works; its figures mean nothing
  --no-peers    leave out the peers, which are installed by npm when they are not there (63 MB)
  --json        one JSON object instead of the table

Exits 0 when it ran, whatever it found, 1 when it could not, 2 when it was called wrongly.
`;

const SCENARIOS: Readonly<Record<string, (scene: Scene, size: Size) => Promise<Finding[]>>> = {
  reading,
  streams,
  resume,
  start,
};

const FULL: Size = { rounds: 7, roundMs: 2000, connections: 50, streams: [1000, 5000], missed: 10_000 };
const QUICK: Size = { rounds: 1, roundMs: 50, connections: 4, streams: [210, 220], missed: 20 };

/** Runs the scenarios and gives the exit code. */
export async function measureServing(args: readonly string[]): Promise<number> {
  const asked = readServingOptions(args);
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n\n${USAGE}`);
    return 2;
  }
  const closers: (() => unknown)[] = [];
  try {
    const machine = describeMachine();
    if (asked.peers && asked.only.includes('reading'))
      await installPeers((line) => process.stderr.write(`${line}\n`));
    const size = asked.quick ? QUICK : FULL;
    const scene = await openScene(closers);
    const findings: Finding[] = [];
    for (const name of asked.only) {
      process.stderr.write(`bench: ${name} …\n`);
      findings.push(...((await SCENARIOS[name]?.(scene, size)) ?? []));
    }
    const inMemory = isInMemory(scene.folder);
    process.stdout.write(
      asked.json
        ? `${JSON.stringify({ machine, inMemory, findings: findings.map((one) => ({ ...one, met: isMet(one) })) })}\n`
        : textOf('the server', machine, inMemory, findings),
    );
    return 0;
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  }
}

interface Asked {
  readonly only: readonly string[];
  readonly quick: boolean;
  readonly peers: boolean;
  readonly json: boolean;
}

function readServingOptions(args: readonly string[]): Asked | string {
  try {
    const flag = { type: 'boolean' } as const;
    const options = { only: { type: 'string' }, quick: flag, 'no-peers': flag, json: flag } as const;
    const { values } = parseArgs({ args: [...args], options });
    const only = values.only?.split(',') ?? Object.keys(SCENARIOS);
    const unknown = only.filter((name) => !Object.hasOwn(SCENARIOS, name));
    if (unknown.length > 0) return `There is no scenario ${unknown.join(', ')}.`;
    const { quick = false, json = false, 'no-peers': without = false } = values;
    return { only, quick, json, peers: !without };
  } catch (error) {
    return (error as Error).message;
  }
}
