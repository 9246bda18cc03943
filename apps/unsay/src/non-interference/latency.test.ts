import { describe, expect, it } from 'vitest';
import { OWN_ENGINES } from '../../testing/non-interference/engine.ts';
import { latencyTable, measureLatency } from '../../testing/non-interference/latency.ts';

const READS = 150;

describe.each(OWN_ENGINES)('reads of what is forbidden and of what is absent, $name', ({ name, open }) => {
  it.each(['modern', 'legacy'] as const)('are compared and printed, %s era', async (era) => {
    const latencies = await measureLatency(open, era, READS);
    process.stdout.write(`${latencyTable(`${name}, ${era}, microseconds`, latencies)}\n`);
    expect(latencies.map(({ took }) => took.count)).toEqual(latencies.map(() => READS));
  });
});
