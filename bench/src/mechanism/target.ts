import { median } from '../statistics.ts';

/** A figure beside what it is to be. */
export interface Finding {
  readonly what: string;
  /** Of the same unit as the target; a ratio has none. */
  readonly figure: number;
  readonly unit: string;
  readonly target: number;
  /** Whether the target is the most that the figure may be, or the least. */
  readonly bound: 'most' | 'least';
  /** What each round gave. */
  readonly rounds: readonly number[];
  /** What else there is to know: what was divided by what, in absolute figures. */
  readonly beside: string;
}

export function isMet({ figure, target, bound }: Finding): boolean {
  return bound === 'most' ? figure <= target : figure >= target;
}

/** The exit code of a run: whatever it found is well, unless every target has to be met. */
export function exitCodeOf(findings: readonly Finding[], strict: boolean): number {
  return strict && !findings.every(isMet) ? 1 : 0;
}

/** A finding whose figure is the median of the rounds. */
export function finding(
  what: string,
  bound: 'most' | 'least',
  target: number,
  unit: string,
  rounds: readonly number[],
  beside: string,
): Finding {
  return { what, figure: median(rounds), unit, target, bound, rounds, beside };
}
