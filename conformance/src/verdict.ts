import type { Check, Era, ScenarioResult } from './suite.ts';

/** A check that fails through no fault of ours. It is listed with what shows that, and only as long as it fails. */
export interface BaselineEntry {
  readonly era: Era;
  readonly scenario: string;
  readonly check: string;
  /** How anybody can see the fault, and where it was reported. */
  readonly reproduction: string;
}

/** How the scenario ended. `silent`: it looked at nothing, because what it looks for is optional. */
export type Ending = 'passed' | 'failed' | 'expected' | 'silent';

export interface Verdict {
  readonly scenario: string;
  readonly ending: Ending;
  /** Checks that succeeded. */
  readonly checks: number;
  readonly problems: readonly string[];
}

/** A name for a scenario that broke off, in place of a check's. */
const BROKE_OFF = 'run';

/** A check of whatever was said, also where nothing was asked that the scenario is about. */
const WIRE_SCHEMA = 'wire-schema-valid';

/**
 * Judges the results of one run. A warning counts as a failure: what a server should do, this one does. A check
 * that fails beside the baseline is a regression, and one that the baseline names and that does not fail has
 * healed: both fail, so that the baseline never says more or less than what is the case.
 */
export function judge(
  results: readonly ScenarioResult[],
  expected: readonly string[],
  baseline: readonly BaselineEntry[],
): readonly Verdict[] {
  return expected.map((scenario) => {
    const checks = results.find((result) => result.scenario === scenario)?.checks;
    const failing = failuresOf(checks);
    const known = baseline.filter((entry) => entry.scenario === scenario);
    const regressions = failing.filter(({ id }) => !known.some(({ check }) => check === id));
    const healed = known.filter(({ check }) => !failing.some(({ id }) => id === check));
    const problems = [
      ...regressions.map(({ id, errorMessage = 'no reason given' }) => `${id}: ${errorMessage}`),
      ...healed.map(({ check }) => `${check}: is in the baseline and does not fail; take it out`),
    ];
    const passed = checks?.filter(({ status }) => status === 'SUCCESS') ?? [];
    const looked = passed.some(({ id }) => id !== WIRE_SCHEMA);
    return { scenario, ending: endingOf(problems, failing, looked), checks: passed.length, problems };
  });
}

function failuresOf(checks: readonly Check[] | undefined): readonly Check[] {
  if (checks === undefined)
    return [{ id: BROKE_OFF, status: 'FAILURE', errorMessage: 'the suite wrote no result' }];
  return checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
}

function endingOf(problems: readonly string[], failing: readonly Check[], looked: boolean): Ending {
  if (problems.length > 0) return 'failed';
  if (failing.length > 0) return 'expected';
  return looked ? 'passed' : 'silent';
}

/** The baseline in a file's text. Throws, naming the entry, when one of them is not complete. */
export function parseBaseline(text: string): readonly BaselineEntry[] {
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries)) throw new Error('the baseline is not a list');
  for (const entry of entries) {
    const fields: unknown[] = ['era', 'scenario', 'check', 'reproduction'].map((name) => entry?.[name]);
    if (!fields.every((field) => typeof field === 'string' && field !== ''))
      throw new Error(`the baseline entry ${JSON.stringify(entry)} lacks a field; each has four`);
  }
  return entries;
}
