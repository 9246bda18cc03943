/** The one source of everything that is left to chance in a run: the same seed draws the same. */
export interface Chance {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Whether something of this probability happens. */
  happens(probability: number): boolean;
  /** One of these; throws for none. */
  one<T>(all: readonly T[]): T;
}

/** The draws of a seed: splitmix32, whose state is a single number. */
export function createChance(seed: number): Chance {
  // Neighbouring seeds must not draw alike from the beginning.
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;

  function next(): number {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  }

  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (probability) => next() < probability,
    one(all) {
      const chosen = all[below(all.length)];
      if (chosen === undefined) throw new Error('one of none');
      return chosen;
    },
  };
}
