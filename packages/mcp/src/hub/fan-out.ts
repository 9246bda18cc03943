/** One event on its way to those who asked for it. */
interface Delivery<T> {
  /** Called when its turn has come, before the first target: whatever is sent from then on is another event. */
  readonly begin: () => void;
  readonly targets: Iterable<T>;
  readonly deliver: (target: T) => void;
}

/** What may pass before the event loop gets a turn: a slice ends at whichever comes first. */
export interface SliceLimits {
  /** Targets. */
  readonly size: number;
  readonly ms: number;
  /** For so long at the most others wait for what is under way: see `done`. */
  readonly holdMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
}

/** Targets between two looks at the clock. */
const BATCH = 64;
/** Of those who waited, how many go on before the event loop gets a turn. */
const RELEASED = 64;

/**
 * Hands events to many targets, a slice at a time, so that a large audience never holds the event loop for
 * longer than a slice. Events keep their order. An event that waits behind others is merged with an equal key
 * that already waits, which bounds the queue by the number of keys.
 */
export class FanOut<T> {
  readonly #limits: SliceLimits;
  readonly #waiting = new Map<string | symbol, Delivery<T>>();
  #current: { readonly targets: Iterator<T>; readonly deliver: (target: T) => void } | undefined;
  #running = false;
  #scheduled = false;
  /** What is left of the slice under way, and when it has to end. */
  #left = 0;
  #until = 0;
  /** Who waits, and until when at the latest. */
  readonly #held: (() => void)[] = [];
  #holdUntil = 0;

  constructor(limits: SliceLimits) {
    this.#limits = limits;
  }

  /** Starts at once when nothing is under way. False when it took the place of one that waits. */
  send(
    key: string | symbol,
    targets: Iterable<T>,
    deliver: (target: T) => void,
    begin: () => void = () => undefined,
  ): boolean {
    const merged = this.#waiting.has(key);
    this.#waiting.set(key, { begin, targets, deliver });
    if (!this.isBusy) {
      this.#holdUntil = this.#limits.monotonicNow() + this.#limits.holdMs;
      this.#beginSlice();
    }
    return !merged;
  }

  get isBusy(): boolean {
    return this.#running || this.#scheduled;
  }

  /** Resolves when nothing is under way, or when something has been for too long to wait for. */
  done(): Promise<void> {
    if (!this.isBusy || this.#limits.monotonicNow() >= this.#holdUntil) return Promise.resolve();
    return new Promise((resolve) => this.#held.push(resolve));
  }

  #beginSlice(): void {
    const now = this.#limits.monotonicNow();
    this.#left = this.#limits.size;
    this.#until = now + this.#limits.ms;
    if (now >= this.#holdUntil) this.#release();
    this.#runBatch();
  }

  #runBatch(): void {
    this.#scheduled = false;
    this.#running = true;
    try {
      for (let left = Math.min(BATCH, this.#left); left > 0; ) {
        this.#current ??= this.#next();
        if (this.#current === undefined) {
          this.#release();
          return;
        }
        const target = this.#current.targets.next();
        if (target.done) this.#current = undefined;
        else {
          this.#current.deliver(target.value);
          left -= 1;
          this.#left -= 1;
        }
      }
    } finally {
      this.#running = false;
    }
    this.#scheduled = true;
    // Streams hand what was written to the system in the next tick, so only after that does the clock tell what it took.
    if (this.#left > 0) process.nextTick(() => this.#goOn());
    else setImmediate(() => this.#beginSlice());
  }

  #goOn(): void {
    if (this.#limits.monotonicNow() < this.#until) this.#runBatch();
    else setImmediate(() => this.#beginSlice());
  }

  #release(): void {
    for (const goOn of this.#held.splice(0, RELEASED)) goOn();
    if (this.#held.length > 0) setImmediate(() => this.#release());
  }

  #next(): { readonly targets: Iterator<T>; readonly deliver: (target: T) => void } | undefined {
    for (const [key, { begin, targets, deliver }] of this.#waiting) {
      this.#waiting.delete(key);
      begin();
      return { targets: targets[Symbol.iterator](), deliver };
    }
    return undefined;
  }
}
