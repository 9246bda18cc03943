const FIRST_MS = 500;
const MOST_MS = 15_000;

/**
 * How long to wait before attempt `attempt` (0 is the first retry), in milliseconds. It doubles up to a
 * ceiling; half of it is chance, so that many devices do not return to a restarted server at one moment.
 * `chance` is in [0, 1).
 */
export function retryDelay(attempt: number, chance: number): number {
  const whole = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(whole / 2 + (whole / 2) * chance);
}
