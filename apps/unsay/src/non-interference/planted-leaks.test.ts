import { afterAll, describe, expect, it } from 'vitest';
import { openMemory } from '../../testing/non-interference/engine.ts';
import { EVENT_PLANTS } from '../../testing/non-interference/event-plants.ts';
import { MCP_PLANTS } from '../../testing/non-interference/mcp-plants.ts';
import { ROUTE_PLANTS } from '../../testing/non-interference/route-plants.ts';
import { STATIC_PLANTS } from '../../testing/non-interference/static-plants.ts';
import { findDifference } from '../../testing/non-interference/two-worlds.ts';
import { VIEWS } from '../../testing/non-interference/views.ts';
import type { Plant } from '../../testing/non-interference/world.ts';

const PLANTS = [...MCP_PLANTS, ...EVENT_PLANTS, ...STATIC_PLANTS, ...ROUTE_PLANTS];
const SEED = 4;
const MOST_RUNS = 30;

/** Whether any view sees the fault; few traces of every view before many of one. Nothing is shrunk. */
async function isCaught(plant: Plant): Promise<boolean> {
  for (const numRuns of [3, MOST_RUNS]) {
    for (const view of VIEWS) {
      const parameters = { seed: SEED, numRuns, endOnFailure: true };
      if ((await findDifference(view, openMemory, parameters, plant)).trace !== null) return true;
    }
  }
  return false;
}

describe('a leak that was planted is caught', () => {
  const caught = new Set<string>();
  afterAll(() => void process.stdout.write(`${caught.size} of ${PLANTS.length} caught\n`));

  it.each(PLANTS)('$name', async (plant) => {
    if (await isCaught(plant)) caught.add(plant.name);
    expect(caught).toContain(plant.name);
  });

  it('and nothing is caught where nothing was planted', async () => {
    const nothing: Plant = { name: 'nothing' };
    for (const view of VIEWS) {
      const parameters = { seed: SEED, numRuns: 5 };
      expect((await findDifference(view, openMemory, parameters, nothing)).trace).toBeNull();
    }
  });

  it('by a trace that says little else than the leak', async () => {
    // Of all views the one with the fewest observers: shrinking lives through many traces.
    const [view] = [...VIEWS].sort((a, b) => a.observers.length - b.observers.length);
    const plant = PLANTS.find(({ name }) => name === 'news of a longer list for everyone');
    if (view === undefined || plant === undefined) throw new Error('the leak to shrink is gone');
    const parameters = { seed: SEED, numRuns: MOST_RUNS };
    const { trace } = await findDifference(view, openMemory, parameters, plant);
    if (trace === null) throw new Error('nothing was found');
    const hidden = trace.moments.flatMap(({ inOne, inOther }) => [...inOne, ...inOther]);
    expect(hidden).toHaveLength(1);
    expect(hidden[0]?.do).toBe('write');
    expect(trace.moments.length).toBeLessThanOrEqual(2);
    expect(trace.moments[0]?.step.do).toBe('listen');
  });
});
