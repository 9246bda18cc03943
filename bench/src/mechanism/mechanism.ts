import { parseArgs } from 'node:util';
import { describeMachine, isInMemory, type Machine } from '../machine.ts';
import { hearing, idle } from './listening.ts';
import { publishing } from './publishing.ts';
import { reading } from './reading.ts';
import { replaying } from './replaying.ts';
import { benchFolder } from './scene.ts';
import { type Finding, isMet } from './target.ts';

export const MECHANISM_USAGE = `Usage: npm run bench -- mechanism [--chain 100000] [--json]

Measures the mechanism without a server around it, each figure beside its floor in the same run and in turns,
and says of each whether its target is met. Figures of a busy machine mean little; the load is printed.

  --chain COUNT   versions of the chain that is replayed (100000)
  --json          one JSON object instead of the table

Exits 0 when it ran, whatever it found, 1 when it could not, 2 when it was called wrongly.
`;

/** Runs the scenario and gives the exit code. */
export async function measureMechanism(args: readonly string[]): Promise<number> {
  const asked = readMechanismOptions(args);
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n\n${MECHANISM_USAGE}`);
    return 2;
  }
  const closers: (() => unknown)[] = [];
  try {
    const machine = describeMachine();
    const folder = benchFolder(closers);
    const findings = [
      ...(await publishing(folder)),
      hearing(),
      ...(await replaying(folder, asked.chain)),
      idle(),
      await reading(folder),
    ];
    const inMemory = isInMemory(folder);
    process.stdout.write(
      asked.json
        ? `${JSON.stringify({ machine, inMemory, findings: findings.map((one) => ({ ...one, met: isMet(one) })) })}\n`
        : textOf('the mechanism', machine, inMemory, findings),
    );
    return 0;
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    for (const close of closers) close();
  }
}

function readMechanismOptions(args: readonly string[]): { chain: number; json: boolean } | string {
  try {
    const options = { chain: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { chain = '100000', json = false } = parseArgs({ args: [...args], options }).values;
    if (!/^[1-9]\d{0,6}$/.test(chain)) return '--chain must be a whole number from 1 to 9999999.';
    return { chain: Number(chain), json };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Findings as a table for people, under what they were taken on. */
export function textOf(
  what: string,
  machine: Machine,
  inMemory: boolean,
  findings: readonly Finding[],
): string {
  const lines = findings.map((one) => {
    const { what, figure, unit, target, bound, rounds, beside } = one;
    const verdict = isMet(one) ? 'met' : 'MISSED';
    const each = rounds.map((round) => round.toFixed(2)).join(' ');
    return [
      `  ${what.padEnd(58)}${figure.toFixed(2).padStart(9)} ${unit.padEnd(4)} at ${bound} ${target}: ${verdict}`,
      `    ${beside} (rounds: ${each})`,
    ].join('\n');
  });
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}, commit ${machine.commit}, load ${machine.load.join(' ')}`,
    ...(inMemory ? ['Note: the folder is kept in memory, so durable commits cost nothing here'] : []),
    '',
    `${what}, median of rounds`,
    ...lines,
    '',
  ].join('\n');
}
