import { SPEECH_WINDOW_MS } from './correction.ts';
import type { Machine } from './machine.ts';
import type { Series } from './rounds.ts';
import { median, percentile, type Summary, summarise } from './statistics.ts';

/** The names under which things are measured. The first two are corrections of Unsay. */
export const MODERN = 'modern';
export const LEGACY = 'legacy';
export const RAW_LOOP = 'rawLoop';
export const BARE_COMMIT = 'bareCommit';
export const FSYNC = 'fsync';

/** A median ratio to the floor, beside the ratio of each round. */
export interface Ratio {
  readonly median: number;
  readonly rounds: readonly number[];
  readonly met: boolean;
}

/** What a run found. All times are milliseconds. */
export interface Report {
  readonly n: number;
  readonly machine: Machine;
  /** What was measured: a server started for it and where it ran, or an address. */
  readonly server: string;
  readonly warnings: readonly string[];
  readonly figures: Readonly<Record<string, Summary>>;
  readonly ratioTarget: number;
  /** p50 of an era over p50 of the raw loop plus p50 of the bare commit; empty without a floor. */
  readonly ratios: Readonly<Record<string, Ratio>>;
  readonly speechWindow: { readonly limit: number; readonly missed: number; readonly slowest: number };
}

const RATIO_TARGET = 1.4;

export function reportOn(
  run: Pick<Report, 'n' | 'machine' | 'server' | 'warnings'>,
  series: readonly Series[],
): Report {
  const named = new Map(series.map((one) => [one.name, one]));
  const eras = [MODERN, LEGACY].flatMap((name) => named.get(name) ?? []);
  const corrections = eras.flatMap(({ rounds, warmUp }) => [...rounds.flat(), ...warmUp]);
  const [loop, commit] = [named.get(RAW_LOOP), named.get(BARE_COMMIT)];
  const ratios = loop && commit ? eras.map((era) => [era.name, ratioOf(era, loop, commit)] as const) : [];
  return {
    ...run,
    figures: Object.fromEntries(series.map(({ name, rounds }) => [name, summarise(rounds.flat())])),
    ratioTarget: RATIO_TARGET,
    ratios: Object.fromEntries(ratios),
    speechWindow: {
      limit: SPEECH_WINDOW_MS,
      missed: corrections.filter((took) => took > SPEECH_WINDOW_MS).length,
      slowest: percentile(corrections, 1),
    },
  };
}

function ratioOf(era: Series, loop: Series, commit: Series): Ratio {
  const rounds = era.rounds.map((samples, round) => {
    const floor = median(loop.rounds[round] ?? []) + median(commit.rounds[round] ?? []);
    return median(samples) / floor;
  });
  const middle = median(rounds);
  return { median: middle, rounds, met: middle <= RATIO_TARGET };
}

const LABELS: Readonly<Record<string, string>> = {
  [MODERN]: 'Unsay, 2026-07-28',
  [LEGACY]: 'Unsay, 2025-11-25',
  [RAW_LOOP]: 'floor: raw node:http loop, in memory',
  [BARE_COMMIT]: 'floor: bare SQLite commit, FULL',
  [FSYNC]: 'the disk: fdatasync of 4 KiB in place',
};

const WIDTH = 40;

/** The report for a person. */
export function textOf(report: Report): string {
  const { machine, figures, ratios, ratioTarget, speechWindow } = report;
  const head = ['p50', 'p95', 'p99', 'slowest'].map((name) => name.padStart(9)).join('');
  const rows = Object.entries(figures).map(([name, { p50, p95, p99, slowest }]) => {
    const cells = [p50, p95, p99, slowest].map((ms) => ms.toFixed(3).padStart(9));
    return `  ${(LABELS[name] ?? name).padEnd(WIDTH)}${cells.join('')}`;
  });
  const ratioRows = Object.entries(ratios).map(([name, { median: middle, rounds, met }]) => {
    const each = rounds.map((ratio) => ratio.toFixed(2)).join(' ');
    const verdict = `target ${ratioTarget}: ${met ? 'met' : 'missed'}`;
    return `  ${(LABELS[name] ?? name).padEnd(WIDTH)}${middle.toFixed(2).padStart(9)}  ${verdict}  (rounds: ${each})`;
  });
  const slowest = `slowest ${speechWindow.slowest.toFixed(1)} ms, warm-up included`;
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}, commit ${machine.commit}, load ${machine.load.join(' ')}`,
    `Unsay: ${report.server}`,
    ...report.warnings.map((warning) => `Note: ${warning}`),
    '',
    `write → client holds the new value, in ms (n = ${report.n} each after warm-up, taking turns)`,
    `  ${''.padEnd(WIDTH)}${head}`,
    ...rows,
    ...(ratioRows.length === 0
      ? []
      : ['', 'ratio of p50 to (raw loop + bare commit), median of rounds', ...ratioRows]),
    '',
    speechWindow.missed === 0
      ? `Every correction was held within the speech window of ${speechWindow.limit} ms (${slowest}).`
      : `${speechWindow.missed} corrections missed the speech window of ${speechWindow.limit} ms (${slowest}).`,
    '',
  ].join('\n');
}
