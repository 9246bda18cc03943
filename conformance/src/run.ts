/** `npm run conformance`: the official suite against our endpoint. `--help` says more. */
import { parseArgs } from 'node:util';
import { conformance } from './conformance.ts';
import { textOf } from './report.ts';
import { ERAS, scenariosOf } from './suite.ts';

const USAGE = `Usage: npm run conformance [-- --scenario NAME]

Runs every server scenario of the official MCP conformance suite, at both revisions
(${ERAS.join(' and ')}), against an endpoint with the suite's fixtures: once as it
answers (direct), and once with every request answered by the SDK (sdk).

  --scenario NAME   only this one, at the revisions that have it

Scenarios of the extensions that the endpoint has (Skills) run at both revisions, which
they belong to neither of; they have to pass too.

A scenario passes when a check of it succeeds and none fails or warns. "not required"
are scenarios that the suite does not count for the revision; they have to pass too,
where they look at anything. conformance/baseline.json lists what fails through no
fault of ours, each entry with a reproduction: a failure beside it and an entry that
does not fail any more both fail the run.

The last line counts the required scenarios that pass both ways.
Exits 0 when all is as it should be, 1 when not, 2 when it was called wrongly.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const options = read(args);
  if (options === undefined || options.help === true) {
    process[options === undefined ? 'stderr' : 'stdout'].write(USAGE);
    return options === undefined ? 2 : 0;
  }
  try {
    const { scenario } = options;
    if (scenario !== undefined && !(await isKnown(scenario))) {
      process.stderr.write(`conformance: the suite has no server scenario ${scenario}\n\n${USAGE}`);
      return 2;
    }
    const report = await conformance(scenario);
    process.stdout.write(textOf(report));
    return report.problems.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`conformance: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

function read(args: string[]): { readonly help?: boolean; readonly scenario?: string } | undefined {
  try {
    return parseArgs({
      args,
      options: { help: { type: 'boolean', short: 'h' }, scenario: { type: 'string' } },
    }).values;
  } catch {
    return undefined;
  }
}

async function isKnown(scenario: string): Promise<boolean> {
  const lists = await Promise.all(ERAS.map(scenariosOf));
  return lists.some(({ all, extensions }) => [...all, ...extensions].includes(scenario));
}
