import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFixtures } from './served-fixtures.ts';
import { ERAS, type Era, runSuite, type Scenarios, scenariosOf } from './suite.ts';
import { type BaselineEntry, judge, parseBaseline, type Verdict } from './verdict.ts';

/** Both ways that the endpoint answers a request: without a server object of the SDK where it can, and always with. */
export const ROADS = ['direct', 'sdk'] as const;
export type Road = (typeof ROADS)[number];

/** How many server scenarios each revision requires. The suite froze them: fewer means that it was misread. */
export const REQUIRED: Readonly<Record<Era, number>> = { '2025-11-25': 30, '2026-07-28': 37 };

/** Directories of skills are an option of the extension, which the endpoint does not declare. */
const OPTIONAL_IN_EXTENSIONS: ReadonlySet<string> = new Set(['sep-2640-skills-directory']);

/** How many scenarios of extensions there are at each revision. Fewer means that the suite was misread. */
const EXTENSIONS = 3;

export interface EraReport {
  readonly era: Era;
  readonly scenarios: Scenarios;
  readonly verdicts: Readonly<Record<Road, readonly Verdict[]>>;
}

export interface Report {
  readonly eras: readonly EraReport[];
  readonly baseline: readonly BaselineEntry[];
  /** Why the gate fails; empty when it passes. */
  readonly problems: readonly string[];
}

export function readBaseline(): readonly BaselineEntry[] {
  return parseBaseline(readFileSync(join(import.meta.dirname, '../baseline.json'), 'utf8'));
}

/** Runs every server scenario of both eras down both roads, or the one that is named. */
export async function conformance(scenario?: string): Promise<Report> {
  const baseline = readBaseline();
  const eras: EraReport[] = [];
  const faults: unknown[] = [];
  for (const era of ERAS) {
    const scenarios = await scenariosOf(era);
    const isChosen = (name: string): boolean => scenario === undefined || name === scenario;
    const ofRevision = scenarios.all.filter(isChosen);
    const ofExtensions = scenarios.extensions.filter(isChosen);
    const chosen = [...ofRevision, ...ofExtensions];
    const entries = baseline.filter((entry) => entry.era === era && chosen.includes(entry.scenario));
    const judged = async (road: Road): Promise<readonly Verdict[]> => {
      if (chosen.length === 0) return [];
      const served = await serveFixtures({ direct: road === 'direct' });
      try {
        const results = ofRevision.length === 0 ? [] : [...(await runSuite(served.url, era, scenario))];
        // The suite runs what belongs to no revision by its name only.
        for (const name of ofExtensions) results.push(...(await runSuite(served.url, era, name)));
        return judge(results, chosen, entries);
      } finally {
        await served.stop();
        faults.push(...served.faults);
      }
    };
    eras.push({ era, scenarios, verdicts: { direct: await judged('direct'), sdk: await judged('sdk') } });
  }
  const problems = [
    ...eras.flatMap((report) => problemsOf(report, scenario === undefined)),
    ...faults.map((fault) => `the endpoint reported a fault: ${fault}`),
  ];
  return { eras, baseline, problems };
}

/** Required scenarios that passed down both roads, and how many there were. */
export function score({ scenarios, verdicts }: EraReport): { readonly passed: number; readonly of: number } {
  const ran = scenarios.required.filter((name) => verdicts.direct.some(({ scenario }) => scenario === name));
  const passed = ran.filter((name) =>
    ROADS.every((road) => verdicts[road].some((each) => each.scenario === name && each.ending === 'passed')),
  );
  return { passed: passed.length, of: ran.length };
}

/** Why one era's report does not pass. `whole`: it should have every scenario. */
export function problemsOf(report: EraReport, whole: boolean): readonly string[] {
  const { era, scenarios, verdicts } = report;
  const { required, extensions } = scenarios;
  const mustLook = [...required, ...extensions.filter((name) => !OPTIONAL_IN_EXTENSIONS.has(name))];
  const counted =
    required.length < REQUIRED[era] || (whole && score(report).of < required.length)
      ? [`${era}: ${score(report).of} of ${REQUIRED[era]} required scenarios were found and run`]
      : [];
  const missing =
    whole && extensions.length < EXTENSIONS
      ? [`${era}: ${extensions.length} of ${EXTENSIONS} scenarios of extensions were found and run`]
      : [];
  const failed = ROADS.flatMap((road) =>
    verdicts[road].flatMap(({ scenario, ending, problems }) => {
      const silent = ending === 'silent' && mustLook.includes(scenario) ? ['looked at nothing'] : [];
      return [...problems, ...silent].map((problem) => `${era} ${road} ${scenario}: ${problem}`);
    }),
  );
  return [...counted, ...missing, ...failed];
}
