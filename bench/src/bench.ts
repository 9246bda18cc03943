/** `npm run bench`: write → client holds the new value, in both eras, beside the floor. `--help` says more. */
import { corrections } from './correction.ts';
import { type Subscription, subscribeLegacy, subscribeModern } from './eras.ts';
import { startLocally } from './local-run.ts';
import { describeMachine } from './machine.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { LEGACY, MODERN, type Report, reportOn, textOf } from './report.ts';
import { measureInRounds } from './rounds.ts';

/** Ends what a run started, last first. */
type Closers = (() => unknown)[];

/** A server that is not ours has no floor beside it: what its machine can do is not known here. */
const ELSEWHERE = { floor: [], warnings: ['no floor: it is measured only beside a server started here'] };

async function run({ n, subject, remote }: Options, closers: Closers): Promise<Report> {
  const machine = describeMachine();
  const { access, floor, server, warnings } =
    remote === null
      ? await startLocally(closers)
      : { ...ELSEWHERE, access: remote, server: remote.url.origin };
  const fact = (topic: string): Subscription => ({ ...access, uri: `care://${subject}/${topic}` });
  const modern = await subscribeModern(fact('bench_modern'));
  closers.push(modern.close);
  const legacy = await subscribeLegacy(fact('bench_legacy'));
  closers.push(legacy.close);
  const eras = [corrections(MODERN, modern), corrections(LEGACY, legacy)];
  const series = await measureInRounds([...eras, ...floor], n);
  return reportOn({ n, machine, server, warnings }, series);
}

async function close(closers: Closers): Promise<void> {
  for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer();
}

async function main(): Promise<number> {
  const [scenario, ...rest] = process.argv.slice(2);
  if (scenario === 'mechanism') {
    const { measureMechanism } = await import('./mechanism/mechanism.ts');
    return measureMechanism(rest);
  }
  if (scenario === 'serving') {
    const { measureServing } = await import('./serving/serving.ts');
    return measureServing(rest);
  }
  if (scenario !== undefined && !scenario.startsWith('-')) {
    const { isServingScenario, measureServing } = await import('./serving/serving.ts');
    if (isServingScenario(scenario)) return measureServing(['--only', scenario, ...rest]);
  }
  const asked = readOptions(process.argv.slice(2), process.env);
  if (asked.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (asked.kind === 'wrong') {
    process.stderr.write(`${asked.message}\n\n${USAGE}`);
    return 2;
  }
  const closers: Closers = [];
  let interrupted = false;
  process.once('SIGINT', () => {
    interrupted = true;
    void close(closers).finally(() => process.exit(130));
  });
  try {
    const report = await run(asked.options, closers);
    process.stdout.write(asked.options.json ? `${JSON.stringify(report)}\n` : textOf(report));
    return report.speechWindow.missed === 0 ? 0 : 1;
  } catch (error) {
    // Whatever is interrupted breaks off somewhere; that is no news.
    if (!interrupted) process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    await close(closers);
  }
}

process.exitCode = await main();
