import type { Chance } from './chance.ts';

interface Waiting {
  readonly owner: object;
  readonly what: string;
  readonly go: () => void;
}

// What runs between two turns passes through the event loop a few times (a group of appends is committed in
// one turn of it and answered after): so many turns in which nothing moved mean that nothing will.
const QUIET_ROUNDS = 3;
const ALIKE = 0.5;
const AT_ONCE = 0.2;
const LIMIT = 100_000;

/**
 * Decides who goes on. Everything that the server does at a store or with a key waits here for its turn, one
 * goes at a time, and chance says which: so requests overlap in every order, and always in the same one for the
 * same seed.
 */
export class Turns {
  readonly #chance: Chance;
  #waiting: Waiting[] = [];
  readonly #beside = new Set<Promise<unknown>>();
  #last: Promise<unknown> = Promise.resolve();
  #moves = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Resolves when it is this one's turn; never, when its owner has died before. */
  take(owner: object, what: string): Promise<void> {
    this.#moves += 1;
    return new Promise((go) => void this.#waiting.push({ owner, what, go }));
  }

  /** Something happened that may have consequences. */
  moved(): void {
    this.#moves += 1;
  }

  /** Work that the machine does beside the event loop, one after the other: nobody goes on before it is done. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    this.#beside.add(mine);
    try {
      return await mine;
    } finally {
      this.#beside.delete(mine);
      this.#moves += 1;
    }
  }

  /** Whatever an owner still waits for will never come. */
  abandon(owner: object): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.owner !== owner);
  }

  /** Waits until everything that goes on stands still or waits for its turn. */
  async drain(): Promise<void> {
    let seen = this.#moves;
    for (let quiet = 0, rounds = 0; quiet < QUIET_ROUNDS; rounds += 1) {
      if (rounds > LIMIT) throw new Error('a simulated server never comes to rest');
      await Promise.allSettled(this.#beside);
      await round();
      quiet = this.#beside.size > 0 || this.#moves !== seen ? 0 : quiet + 1;
      seen = this.#moves;
    }
  }

  /** Gives one turn, and sometimes all who wait to do the same one with it; false when nobody waits. */
  give(): boolean {
    // How often nobody waits depends on the machine, so no chance is drawn for that.
    if (this.#waiting.length === 0) return false;
    // A signature is checked beside the event loop and a group is written within it: which of the two came to wait
    // first is the machine's business, so the line is put in an order of its own.
    this.#waiting = this.#waiting.toSorted((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : 0));
    const [chosen] = this.#waiting.splice(this.#chance.below(this.#waiting.length), 1);
    if (chosen === undefined) return false;
    const alike = this.#chance.happens(ALIKE)
      ? this.#waiting.filter(({ what, owner }) => what === chosen.what && owner === chosen.owner)
      : [];
    this.#waiting = this.#waiting.filter((waiting) => !alike.includes(waiting));
    for (const { go } of [chosen, ...alike]) go();
    return true;
  }

  /** Gives turns, at most so many, until nobody waits. Sometimes several go at once, as in one turn of a server. */
  async settle(most = LIMIT): Promise<void> {
    await this.drain();
    for (let given = 0; given < most && this.give(); given += 1) {
      for (let more = this.#chance.happens(AT_ONCE) ? this.#chance.between(1, 3) : 0; more > 0; more -= 1)
        this.give();
      await this.drain();
    }
  }

  /** Gives turns until somebody waits for this one, or nobody waits. */
  async settleUntil(what: string): Promise<void> {
    await this.drain();
    while (!this.#waiting.some((waiting) => waiting.what === what) && this.give()) await this.drain();
  }
}

/** One turn of the event loop. */
export function round(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
