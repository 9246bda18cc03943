/** Something that is measured: one turn of it, which is one operation or several in a row. */
export interface Measured {
  /** What each operation of a turn is called. */
  readonly names: readonly string[];
  /** Takes one turn, and gives the milliseconds of each operation. */
  once(): Promise<readonly number[]>;
}

/** What was measured of one thing: the samples of each round. */
export interface Series {
  readonly name: string;
  readonly rounds: readonly (readonly number[])[];
  readonly warmUp: readonly number[];
}

const ROUNDS = 10;
/** Turns before each round. */
const SHORT_WARM_UP = 10;
/** Turns before the first round, for each that is measured: compilers take thousands of requests to settle. */
const LONG_WARM_UP = 5;

/**
 * Measures everything `n` times, in rounds that take turns, so that a noisy minute falls on all of them alike.
 * Each is warmed up at length once, and briefly again right before each of its rounds.
 */
export async function measureInRounds(targets: readonly Measured[], n: number): Promise<Series[]> {
  const all = targets.map((target) => new Taken(target));
  for (const taken of all) await taken.warmUp(LONG_WARM_UP * n);
  const count = Math.min(ROUNDS, n);
  for (let round = 0; round < count; round += 1) {
    const share = Math.floor(n / count) + (round < n % count ? 1 : 0);
    // Who goes first changes: nobody always follows the same one.
    const first = round % all.length;
    for (const taken of [...all.slice(first), ...all.slice(0, first)]) {
      await taken.warmUp(SHORT_WARM_UP);
      await taken.round(share);
    }
  }
  return all.flatMap((taken) => taken.series());
}

/** What one target has shown so far: turns, each with a sample of every operation. */
class Taken {
  readonly #target: Measured;
  #warmUp: (readonly number[])[] = [];
  readonly #rounds: (readonly number[])[][] = [];

  constructor(target: Measured) {
    this.#target = target;
  }

  async warmUp(turns: number): Promise<void> {
    this.#warmUp = this.#warmUp.concat(await this.#take(turns));
  }

  async round(turns: number): Promise<void> {
    this.#rounds.push(await this.#take(turns));
  }

  series(): Series[] {
    return this.#target.names.map((name, index) => {
      const samplesOf = (turns: (readonly number[])[]): number[] =>
        turns.map((turn) => turn[index] ?? Number.NaN);
      return { name, rounds: this.#rounds.map(samplesOf), warmUp: samplesOf(this.#warmUp) };
    });
  }

  async #take(count: number): Promise<(readonly number[])[]> {
    const turns: (readonly number[])[] = [];
    for (let i = 0; i < count; i += 1) turns.push(await this.#target.once());
    return turns;
  }
}
