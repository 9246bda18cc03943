import fc from 'fast-check';
import type { OpenEngine } from './engine.ts';
import { type Trace, tracesFor } from './trace.ts';
import { type Transcript, transcriptOf } from './transcript.ts';
import type { View } from './views.ts';
import type { Plant } from './world.ts';

/** The first place where what was received differs between the worlds. */
export interface Difference {
  readonly place: number;
  readonly inOne: string | null;
  readonly inOther: string | null;
}

/** `UNSAY_TEST_RUNS` traces, or else this many, from `UNSAY_TEST_SEED`, or else from a seed that a failure prints. */
export function parametersFor(usualRuns: number): fc.Parameters<[Trace]> {
  const { UNSAY_TEST_RUNS: runs, UNSAY_TEST_SEED: seed } = process.env;
  return {
    numRuns: runs === undefined ? usualRuns : wholeNumber('UNSAY_TEST_RUNS', runs),
    ...(seed !== undefined && { seed: wholeNumber('UNSAY_TEST_SEED', seed) }),
  };
}

/** Lives through a trace in both of its worlds and compares the bytes. */
export async function differenceOn(
  view: View,
  trace: Trace,
  openEngine: OpenEngine,
  plant: Plant | null = null,
): Promise<Difference | null> {
  const one = await transcriptOf(view, trace, 'inOne', openEngine, plant);
  const other = await transcriptOf(view, trace, 'inOther', openEngine, plant);
  if (one.length === 0) throw new Error('nothing was received, so nothing was compared');
  return firstDifference(one, other);
}

/** What was found of a property. */
export interface Finding {
  /** The smallest trace found on which the worlds differ; null when no trace does. */
  readonly trace: Trace | null;
  /** Trace, seed and difference, for people. */
  readonly report: string;
}

/** Lives through generated traces and looks for one on which the worlds differ for a view. */
export async function findDifference(
  view: View,
  openEngine: OpenEngine,
  parameters: fc.Parameters<[Trace]>,
  plant: Plant | null = null,
): Promise<Finding> {
  const alike = fc.asyncProperty(tracesFor(view), async (trace) => {
    const difference = await differenceOn(view, trace, openEngine, plant);
    if (difference === null) return;
    const { place, inOne, inOther } = difference;
    throw new Error(`What was received differs at ${place}.\n\n${inOne}\n\n----\n\n${inOther}`);
  });
  const details = await fc.check(alike, parameters);
  const report = `${fc.defaultReportMessage(details) ?? ''}\n\n${details.errorInstance ?? ''}`;
  return { trace: details.counterexample?.[0] ?? null, report };
}

function firstDifference(one: Transcript, other: Transcript): Difference | null {
  const length = Math.max(one.length, other.length);
  for (let place = 0; place < length; place += 1) {
    const [inOne = null, inOther = null] = [one[place], other[place]];
    if (inOne !== inOther) return { place, inOne, inOther };
  }
  return null;
}

function wholeNumber(name: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new Error(`${name} must be a whole number`);
  return Number(text);
}
