import type { Clock } from '../clock.ts';

const PAUSE_MS = 5_000;

/**
 * Does work, but for five seconds after it failed fails as it did, untried: strangers must not be able to make this
 * server hammer one that is down. For work that no request has a part in, or one stranger could pause it for all.
 */
export function createFailurePause(clock: Clock): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let failed: { readonly at: number; readonly error: unknown } | undefined;
  return async (work) => {
    if (failed !== undefined && Math.abs(clock.now() - failed.at) < PAUSE_MS) throw failed.error;
    try {
      const result = await work();
      failed = undefined;
      return result;
    } catch (error) {
      failed = { at: clock.now(), error };
      throw error;
    }
  };
}
