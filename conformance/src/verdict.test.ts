import { describe, expect, it } from 'vitest';
import { type EraReport, problemsOf, REQUIRED, readBaseline, score } from './conformance.ts';
import { textOf } from './report.ts';
import type { Check, ScenarioResult } from './suite.ts';
import { type BaselineEntry, judge, parseBaseline, type Verdict } from './verdict.ts';

const check = (id: string, status: Check['status']): Check => ({ id, status, errorMessage: `about ${id}` });
const known = (name: string): BaselineEntry => ({
  era: '2025-11-25',
  scenario: 's',
  check: name,
  reproduction: 'run it',
});

function verdict(checks: ScenarioResult['checks'], ...baseline: BaselineEntry[]): Verdict | undefined {
  return judge([{ scenario: 's', checks }], ['s'], baseline)[0];
}

describe('a scenario', () => {
  it('passes when something succeeds and nothing fails', () => {
    expect(verdict([check('a', 'SUCCESS'), check('b', 'SKIPPED'), check('c', 'INFO')])).toEqual({
      scenario: 's',
      ending: 'passed',
      checks: 1,
      problems: [],
    });
  });

  it.each(['FAILURE', 'WARNING'] as const)('fails on a %s beside the baseline', (status) => {
    expect(verdict([check('a', 'SUCCESS'), check('b', status)], known('a'))).toMatchObject({
      ending: 'failed',
      problems: ['b: about b', expect.stringContaining('a: is in the baseline and does not fail')],
    });
  });

  it('is expected to fail where the baseline says so, and only there', () => {
    expect(verdict([check('a', 'FAILURE'), check('b', 'SUCCESS')], known('a'))).toMatchObject({
      ending: 'expected',
      problems: [],
    });
  });

  it('fails when what the baseline names has healed', () => {
    const healed = { ending: 'failed', problems: [expect.stringContaining('take it out')] };

    expect(verdict([check('a', 'SUCCESS')], known('a'))).toMatchObject(healed);
    expect(verdict([check('b', 'SUCCESS')], known('a'))).toMatchObject(healed);
  });

  it('fails when the suite broke off, or left it out', () => {
    const failed = { ending: 'failed', problems: ['run: the suite wrote no result'] };

    expect(verdict(undefined)).toMatchObject(failed);
    expect(judge([], ['s'], [])[0]).toMatchObject(failed);
  });

  it('is silent when it looked at nothing', () => {
    expect(verdict([check('a', 'INFO')])).toMatchObject({ ending: 'silent', problems: [] });
    const skipped = [check('a', 'SKIPPED'), check('wire-schema-valid', 'SUCCESS')];
    expect(verdict(skipped)).toMatchObject({ ending: 'silent', problems: [] });
  });
});

describe('an era', () => {
  const names = Array.from({ length: REQUIRED['2025-11-25'] }, (_, count) => `s${count}`);
  const extensions = ['sep-2640-skills-directory', 'sep-2640-skills-enumeration', 'sep-2640-skills-manifest'];
  const passed = (scenario: string): Verdict => ({ scenario, ending: 'passed', checks: 1, problems: [] });
  const whole: EraReport = {
    era: '2025-11-25',
    scenarios: { required: names, all: [...names, 'more'], extensions },
    verdicts: { direct: names.map(passed), sdk: names.map(passed) },
  };
  const withRoad = (sdk: readonly Verdict[]): EraReport => ({
    ...whole,
    verdicts: { ...whole.verdicts, sdk },
  });

  it('passes when every required scenario passed down both roads', () => {
    expect(problemsOf(whole, true)).toEqual([]);
    expect(score(whole)).toEqual({ passed: 30, of: 30 });
  });

  it('counts what passed down both roads', () => {
    const failed: Verdict = { scenario: 's0', ending: 'failed', checks: 0, problems: ['a: no'] };
    const report = withRoad([failed, ...names.slice(1).map(passed)]);

    expect(score(report)).toEqual({ passed: 29, of: 30 });
    expect(problemsOf(report, true)).toEqual(['2025-11-25 sdk s0: a: no']);
    expect(textOf({ eras: [report], baseline: [], problems: ['x'] })).toMatch(
      /FAILED x\n\n2025-11-25 29\/30, baseline 0\n$/,
    );
  });

  it('fails when a required scenario looked at nothing', () => {
    const silent: Verdict = { scenario: 's0', ending: 'silent', checks: 0, problems: [] };

    expect(problemsOf(withRoad([silent, ...names.slice(1).map(passed)]), true)).toEqual([
      '2025-11-25 sdk s0: looked at nothing',
    ]);
  });

  it.each([0, 29])('fails when only %d required scenarios were found', (count) => {
    const required = names.slice(0, count);
    const report = { ...whole, scenarios: { required, all: required, extensions } };

    expect(problemsOf(report, true)).toEqual([expect.stringContaining('of 30 required scenarios')]);
  });

  it('fails when a scenario of an extension looked at nothing that the endpoint has', () => {
    const silent = (scenario: string): Verdict => ({ scenario, ending: 'silent', checks: 0, problems: [] });

    expect(problemsOf(withRoad([...names.map(passed), ...extensions.map(silent)]), true)).toEqual([
      '2025-11-25 sdk sep-2640-skills-enumeration: looked at nothing',
      '2025-11-25 sdk sep-2640-skills-manifest: looked at nothing',
    ]);
  });

  it('fails when a scenario of an extension is not found any more', () => {
    const scenarios = { ...whole.scenarios, extensions: extensions.slice(1) };

    expect(problemsOf({ ...whole, scenarios }, true)).toEqual([
      '2025-11-25: 2 of 3 scenarios of extensions were found and run',
    ]);
  });

  it('fails when a required scenario was found and not run', () => {
    const verdicts = { direct: names.slice(1).map(passed), sdk: names.slice(1).map(passed) };

    expect(problemsOf({ ...whole, verdicts }, true)).toEqual([
      expect.stringContaining('29 of 30 required scenarios'),
    ]);
  });
});

describe('the baseline', () => {
  it('can be read, and is empty', () => {
    expect(readBaseline()).toEqual([]);
  });

  it.each([
    ['no list', '{}'],
    ['an entry without a reproduction', '[{"era":"2025-11-25","scenario":"s","check":"c"}]'],
    ['an entry with an empty one', '[{"era":"2025-11-25","scenario":"s","check":"c","reproduction":""}]'],
    ['an entry that is nothing', '[null]'],
  ])('may not be %s', (_what, text) => {
    expect(() => parseBaseline(text)).toThrow(/baseline/);
  });
});
