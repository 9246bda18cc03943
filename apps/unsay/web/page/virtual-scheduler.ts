import type { Cancel, Scheduler } from './scheduler.ts';

/** A clock that moves only when a test moves it. */
export class VirtualScheduler implements Scheduler {
  #now: number;
  #sequence = 0;
  readonly #due = new Map<number, { at: number; run: () => void }>();

  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Cancel {
    this.#sequence += 1;
    const id = this.#sequence;
    this.#due.set(id, { at: this.#now + ms, run });
    return () => void this.#due.delete(id);
  }

  /** How many runs are still to come. */
  get waiting(): number {
    return this.#due.size;
  }

  /** Moves time on, running what falls due in order, and what that schedules in turn. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#first(end); next !== null; next = this.#first(end)) {
      this.#due.delete(next.id);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }

  #first(end: number): { id: number; at: number; run: () => void } | null {
    let first: { id: number; at: number; run: () => void } | null = null;
    for (const [id, { at, run }] of this.#due) {
      if (at <= end && (first === null || at < first.at)) first = { id, at, run };
    }
    return first;
  }
}
