import { afterAll, describe, expect, it } from 'vitest';
import type { Plant } from '../../testing/simulation/plant.ts';
import { PLANTS } from '../../testing/simulation/plants.ts';
import { simulate } from '../../testing/simulation/simulation.ts';

// No more than are lived through without a plant: what would only show in others proves nothing.
const MOST_SEEDS = 120;

/** The first seed in which a fault shows, or null. */
async function firstSeedOf(plant: Plant): Promise<number | null> {
  for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
    const { broken } = await simulate({ seed, engine: 'memory', plant });
    if (broken !== null) return seed;
  }
  return null;
}

describe('a fault that was planted is caught', () => {
  let caught = 0;
  afterAll(() => void process.stdout.write(`${caught} of ${PLANTS.length} caught\n`));

  it.each(PLANTS)('$name', async (plant) => {
    const seed = await firstSeedOf(plant);
    expect(seed).not.toBeNull();
    caught += 1;
  });

  it('and nothing is caught where nothing was planted', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const nothing: Plant = { name: 'nothing' };
      expect((await simulate({ seed, engine: 'memory', plant: nothing })).broken).toBeNull();
    }
  });
});
