import type { EngineName } from './engines.ts';
import { type RunOptions, type RunReport, STEPS, simulate } from './simulation.ts';

const LAST_EVENTS = 25;

/** The same failure with the fewest steps before the network is healed; a run that fails early needs no others. */
export async function shortest(options: RunOptions, failed: RunReport): Promise<RunReport> {
  let [best, tooFew] = [failed, -1];
  while (best.steps - tooFew > 1) {
    const steps = Math.floor((best.steps + tooFew) / 2);
    const report = await simulate({ ...options, steps });
    // Fewer steps that fail in another way are a failure all the same.
    if (report.broken === null) tooFew = steps;
    else best = report.steps <= steps ? report : { ...report, steps };
  }
  return best;
}

/** The seed, the promise that was broken, what happened last, and the command that shows it again. */
export function failureText({ seed, broken, trace, steps }: RunReport, engine: EngineName): string {
  return [
    `Seed ${seed} broke a promise: ${broken}`,
    '',
    ...trace.slice(-LAST_EVENTS),
    '',
    `Replay it with: ${replayCommand(seed, engine, steps)}`,
  ].join('\n');
}

/** The command that lives through a run again. */
export function replayCommand(seed: number, engine: EngineName, steps: number): string {
  const fewer = steps === STEPS ? '' : ` --steps ${steps}`;
  return `npm run simulate -- --seed ${seed} --engine ${engine}${fewer}`;
}
