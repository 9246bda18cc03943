import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, type EngineName } from '../../testing/simulation/engines.ts';
import { failureText, shortest } from '../../testing/simulation/failure-text.ts';
import { simulate } from '../../testing/simulation/simulation.ts';

/** How many seeds, from 1 on, are lived through on each engine; `npm run simulate` lives through more. */
const SEEDS: Readonly<Record<EngineName, number>> = { memory: 220, sqlite: 40 };
const PATIENCE_MS = 300_000;

/**
 * A server in virtual time, over a network that loses, delays, doubles and breaks, killed at any moment: nothing
 * that was answered is lost, no correction is missed, no chain is broken, and nobody hears what they may not.
 */
describe.each(ENGINE_NAMES)('a simulated server on %s', (engine) => {
  it(
    `keeps every promise over ${SEEDS[engine]} seeds`,
    async () => {
      let [writes, kills] = [0, 0];
      for (let seed = 1; seed <= SEEDS[engine]; seed += 1) {
        const report = await simulate({ seed, engine });
        if (report.broken !== null)
          expect.fail(failureText(await shortest({ seed, engine }, report), engine));
        writes += report.writes;
        kills += report.kills;
      }
      // A run in which nothing was written or nobody died would keep every promise too.
      expect(writes).toBeGreaterThan(10 * SEEDS[engine]);
      expect(kills).toBeGreaterThan(SEEDS[engine]);
    },
    PATIENCE_MS,
  );
});
