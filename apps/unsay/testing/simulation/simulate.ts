/** `npm run simulate`: lives through seeds, or through one of them with everything that happened printed. */
import { parseArgs } from 'node:util';
import { ENGINE_NAMES, type EngineName } from './engines.ts';
import { failureText, shortest } from './failure-text.ts';
import { simulate } from './simulation.ts';

const USAGE = `Usage: npm run simulate [-- --seeds N] [--from SEED] [--engine memory|sqlite] [--seed S [--steps N]]

Runs a whole server in virtual time over a network that loses, delays, doubles and breaks, kills it at any
moment, and checks after each run that nothing answered is lost, no correction missed, no chain broken, and
nobody told what they may not hear. The same seed is the same run.

  --seeds N        how many seeds to live through (default 1000)
  --from SEED      the first of them (default 1)
  --engine NAME    memory or sqlite (default memory)
  --seed S         one seed, with everything that happened in it printed
  --steps N        with --seed: only its first N steps

Exits 0 when every promise was kept, 1 when one was broken (its command to replay is printed), 2 when it was
called wrongly.
`;

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly engine: EngineName;
  readonly seed: number | null;
  readonly steps: number | null;
}

const PROGRESS_EVERY = 100;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const options = read(args);
  if (options === 'help' || options === 'wrong') {
    const out = options === 'help' ? process.stdout : process.stderr;
    out.write(USAGE);
    return options === 'help' ? 0 : 2;
  }
  return options.seed === null ? liveThrough(options) : replay(options.seed, options);
}

async function replay(seed: number, { engine, steps }: Options): Promise<number> {
  const report = await simulate({ seed, engine, ...(steps !== null && { steps }) });
  process.stdout.write(`${report.trace.join('\n')}\n`);
  if (report.broken === null) return 0;
  process.stdout.write(`\n${report.broken}\n`);
  return 1;
}

async function liveThrough({ seeds, from, engine }: Options): Promise<number> {
  let [writes, kills] = [0, 0];
  for (let seed = from; seed < from + seeds; seed += 1) {
    const report = await simulate({ seed, engine });
    if (report.broken !== null) {
      process.stdout.write(`${failureText(await shortest({ seed, engine }, report), engine)}\n`);
      return 1;
    }
    writes += report.writes;
    kills += report.kills;
    const done = seed - from + 1;
    if (done % PROGRESS_EVERY === 0 && done < seeds)
      process.stdout.write(`${done} of ${seeds} seeds, all kept\n`);
  }
  process.stdout.write(
    `${seeds} seeds from ${from} on ${engine}: ${writes} writes, ${kills} kills, every promise kept\n`,
  );
  return 0;
}

function read(args: string[]): Options | 'help' | 'wrong' {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seeds: { type: 'string', default: '1000' },
        from: { type: 'string', default: '1' },
        engine: { type: 'string', default: 'memory' },
        seed: { type: 'string' },
        steps: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return 'help';
    const engine = ENGINE_NAMES.find((name) => name === values.engine);
    const [seeds, from] = [wholeNumber(values.seeds), wholeNumber(values.from)];
    const seed = values.seed === undefined ? null : wholeNumber(values.seed);
    const steps = values.steps === undefined ? null : wholeNumber(values.steps);
    if (engine === undefined || seeds === 0 || (steps !== null && seed === null)) return 'wrong';
    return { seeds, from, engine, seed, steps };
  } catch {
    return 'wrong';
  }
}

/** Throws for anything but a whole number that is not negative. */
function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error('not a whole number');
  return Number(text);
}
