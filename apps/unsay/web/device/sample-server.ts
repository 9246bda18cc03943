import type { ReadAnswer } from '../live/fact.ts';
import { factOf, retractionOf } from '../live/sample-fact.ts';

export const GAIT = 'care://ray/gait';
export const STAIRS = 'care://ray/stairs';

/** Heads of facts, and answers that can be held back. */
export class SampleServer {
  readonly heads = new Map([
    [GAIT, 1],
    [STAIRS, 1],
  ]);
  failing = false;
  withdrawn = false;
  knowsRetractions = true;
  #held: (() => void)[] = [];
  #holds: 'none' | 'all' | 'retractions' = 'none';

  /** Keeps every answer back from now on. */
  hold(): void {
    this.#holds = 'all';
  }

  holdRetractions(): void {
    this.#holds = 'retractions';
  }

  /** Gives what was kept back, and answers at once from now on. */
  async release(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#holds = 'none';
    for (const answer of held) answer();
    await settle();
  }

  /** What is read is what the server holds when it is asked, whenever the answer arrives. */
  readonly read = (uri: string): Promise<ReadAnswer> => {
    const answer = this.#answer(uri);
    return this.#holds === 'all' ? this.#later(answer) : Promise.resolve(answer);
  };

  #answer(uri: string): ReadAnswer {
    if (this.failing) return { kind: 'failed', reason: 'no answer' };
    const version = this.heads.get(uri);
    if (version === undefined) return { kind: 'absent' };
    return { kind: 'found', fact: factOf(uri, version, this.withdrawn ? { kind: 'withdraw' } : {}) };
  }

  readonly retractionFrom = (uri: string, version: number): Promise<string | null> => {
    const head = this.heads.get(uri);
    const sentence = this.knowsRetractions && head !== undefined ? retractionOf(version, head) : null;
    return this.#holds === 'none' ? Promise.resolve(sentence) : this.#later(sentence);
  };

  #later<Answer>(answer: Answer): Promise<Answer> {
    return new Promise((resolve) => void this.#held.push(() => resolve(answer)));
  }
}

/** Lets every promise that can settle do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
