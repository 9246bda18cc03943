/** One way of signing in that a referee goes. */
export interface Flow {
  /** The revision of the protocol whose rules it judges by. */
  readonly revision: string;
  /** How its client is known: by registration (RFC 7591), or by the address of its metadata document. */
  readonly strategy: 'dcr' | 'cimd';
}

/** What the referee knows to judge: documents are of the newest of its revisions. */
export const FLOWS: readonly Flow[] = [
  { revision: '2025-03-26', strategy: 'dcr' },
  { revision: '2025-06-18', strategy: 'dcr' },
  { revision: '2025-11-25', strategy: 'dcr' },
  { revision: '2025-11-25', strategy: 'cimd' },
];

/** One step of a flow, as the referee tells it. */
export interface Step {
  readonly step: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly why: string;
}

/** What a referee said of a flow. */
export interface Verdict {
  readonly passed: boolean;
  readonly summary: string;
  readonly steps: readonly Step[];
}

/** The verdict that a referee printed; one that it did not finish is a failure, with its last words. */
export function verdictIn(stdout: string, stderr: string): Verdict {
  try {
    const { passed, summary, steps } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Verdict;
    const isWhole = passed === true && steps.length > 0 && steps.every(({ status }) => status !== 'failed');
    return { passed: isWhole, summary, steps };
  } catch {
    const summary = /^\w*Error: .*$/m.exec(stderr)?.[0] ?? 'it ended without a verdict';
    return { passed: false, summary, steps: [] };
  }
}

/** The lines that tell of a verdict. What was skipped is said, and why: it counts for nothing. */
export function linesOf({ revision, strategy }: Flow, { passed, summary, steps }: Verdict): string[] {
  const count = (status: Step['status']): number => steps.filter((step) => step.status === status).length;
  const counts = `${count('passed')} steps passed, ${count('failed')} failed, ${count('skipped')} skipped`;
  return [
    `${passed ? 'passed' : 'FAILED'}  ${revision} ${strategy}: ${steps.length === 0 ? summary : counts}`,
    ...steps
      .filter(({ status }) => status !== 'passed')
      .map(({ step, status, why }) => `        ${status} ${step}: ${why}`),
  ];
}
