import { type EraReport, type Report, ROADS, score } from './conformance.ts';
import type { Verdict } from './verdict.ts';

/** The table, what fails, and as the last line how much of each era passes. */
export function textOf({ eras, baseline, problems }: Report): string {
  const scores = eras.map((report) => {
    const { passed, of } = score(report);
    return `${report.era} ${passed}/${of}`;
  });
  return [
    ...eras.flatMap(tableOf),
    ...problems.map((problem) => `FAILED ${problem}`),
    ...(problems.length > 0 ? [''] : []),
    `${scores.join(', ')}, baseline ${baseline.length}`,
    '',
  ].join('\n');
}

function tableOf({ era, scenarios, verdicts }: EraReport): readonly string[] {
  const rows = verdicts.direct.map(({ scenario }) => {
    const cells = ROADS.map((road) => cell(verdicts[road].find((each) => each.scenario === scenario)));
    const note = noteOn(scenario, scenarios);
    return `  ${scenario.padEnd(46)}${cells.join('')}${note}`.trimEnd();
  });
  const head = `${era}`.padEnd(48) + ROADS.map((road) => road.padEnd(14)).join('');
  return [head.trimEnd(), ...rows, ''];
}

function noteOn(scenario: string, { required, extensions }: EraReport['scenarios']): string {
  if (extensions.includes(scenario)) return '  extension';
  return required.includes(scenario) ? '' : '  not required';
}

function cell(verdict: Verdict | undefined): string {
  if (verdict === undefined) return '-'.padEnd(14);
  const { ending, checks } = verdict;
  return (ending === 'silent' ? 'silent' : `${ending} (${checks})`).padEnd(14);
}
