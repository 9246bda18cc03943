/** Undoes what was arranged; harmless once it has happened. */
export type Cancel = () => void;

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Time that passes only when a run says so. */
export class VirtualTime {
  #elapsed = 0;
  #order = 0;
  #timers: Timer[] = [];

  /** Milliseconds since the beginning. It never goes back. */
  get elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, run: () => void): Cancel {
    this.#order += 1;
    const timer = { at: this.#elapsed + ms, order: this.#order, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  every(ms: number, run: () => void): Cancel {
    const again = (): void => {
      cancel = this.after(ms, again);
      run();
    };
    let cancel = this.after(ms, again);
    return () => cancel();
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Lets time pass. After each thing that falls due, `settle` lets its consequences happen. */
  async advance(ms: number, settle: () => Promise<void>): Promise<void> {
    const end = this.#elapsed + ms;
    for (;;) {
      const due = this.#timers
        .filter(({ at }) => at <= end)
        .reduce<Timer | null>(
          (first, timer) => (first === null || isBefore(timer, first) ? timer : first),
          null,
        );
      if (due === null) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#elapsed = Math.max(this.#elapsed, due.at);
      due.run();
      await settle();
    }
    this.#elapsed = end;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
