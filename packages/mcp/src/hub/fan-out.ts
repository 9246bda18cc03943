/** One event on its way to those who asked for it. */
interface Delivery<T> {
  /** Called when its turn has come, before the first target: whatever is sent from then on is another event. */
  readonly begin: () => void;
  readonly targets: Iterable<T>;
  readonly deliver: (target: T) => void;
}

/**
 * Hands events to many targets, a slice at a time, so that a large audience never holds the event loop for
 * longer than a slice. Events keep their order. An event that waits behind others is merged with an equal key
 * that already waits, which bounds the queue by the number of keys.
 */
export class FanOut<T> {
  readonly #sliceSize: number;
  readonly #waiting = new Map<string | symbol, Delivery<T>>();
  #current: { readonly targets: Iterator<T>; readonly deliver: (target: T) => void } | undefined;
  #running = false;
  #scheduled = false;

  constructor(sliceSize: number) {
    this.#sliceSize = sliceSize;
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
    if (!this.#running && !this.#scheduled) this.#runSlice();
    return !merged;
  }

  #runSlice(): void {
    this.#scheduled = false;
    this.#running = true;
    try {
      for (let left = this.#sliceSize; left > 0; ) {
        this.#current ??= this.#next();
        if (this.#current === undefined) return;
        const target = this.#current.targets.next();
        if (target.done) this.#current = undefined;
        else {
          this.#current.deliver(target.value);
          left -= 1;
        }
      }
    } finally {
      this.#running = false;
    }
    this.#scheduled = true;
    setImmediate(() => this.#runSlice());
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
