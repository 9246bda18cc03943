/** The five steps of a verification (docs/spec/export.md, "Verifying"). */
export const STEPS = [
  'frame',
  'trailer',
  'commitments and tuples',
  'chains and heads',
  'lanes and audit',
] as const;
export type Step = (typeof STEPS)[number];

/** What one step found. `findings` are sentences for a person, the first few of them. */
export interface StepReport {
  readonly step: Step;
  readonly faults: number;
  readonly findings: readonly string[];
}

/** What a verification found. `versions` counts erased ones too. */
export interface Report {
  readonly intact: boolean;
  readonly chains: number;
  readonly versions: number;
  readonly erased: number;
  readonly broken: readonly { readonly uri: string; readonly version: number }[];
  readonly steps: readonly StepReport[];
}

/** Collects what the steps find. */
export interface Findings {
  add(step: Step, sentence: string): void;
  reports(): StepReport[];
}

// A file that is wrong in every line must not cost as much memory as the file.
const KEPT = 20;
const LONGEST = 300;

/** No findings yet. */
export function collectFindings(): Findings {
  const found = new Map(STEPS.map((step) => [step, { step, faults: 0, findings: [] as string[] }]));
  return {
    add(step, sentence) {
      const report = found.get(step);
      if (report === undefined) return;
      report.faults += 1;
      if (report.findings.length < KEPT) report.findings.push(printable(sentence));
    },
    reports: () => [...found.values()],
  };
}

/** The report for a person, a line for each step and each finding. */
export function reportText({ intact, chains, versions, erased, steps }: Report): string {
  const lines = steps.flatMap(({ step, faults, findings }, index) => [
    `${index + 1}. ${step}: ${faults === 0 ? 'ok' : `${faults} wrong`}`,
    ...findings.map((finding) => `   ${finding}`),
    ...(faults > findings.length ? [`   and ${faults - findings.length} more`] : []),
  ]);
  const gone = erased === 0 ? '' : ` (${erased} erased)`;
  return [
    ...lines,
    `${chains} chains, ${versions} versions${gone}, ${intact ? 'intact' : 'NOT intact'}`,
  ].join('\n');
}

// Names come from the file: nothing in them may move the cursor of a terminal or reorder a line.
function printable(sentence: string): string {
  return sentence.slice(0, LONGEST).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}
