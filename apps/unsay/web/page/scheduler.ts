/** Undoes a scheduled run; harmless once it has happened. */
export type Cancel = () => void;

/** Time as a page sees it. Tests put a virtual one in its place. */
export interface Scheduler {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once after `ms` milliseconds unless cancelled. */
  after(ms: number, run: () => void): Cancel;
}

/** The browser's own clock and timers. */
export const browserScheduler: Scheduler = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Runs every `ms` milliseconds until cancelled. */
export function every(scheduler: Scheduler, ms: number, run: () => void): Cancel {
  let cancel = scheduler.after(ms, again);
  function again(): void {
    cancel = scheduler.after(ms, again);
    run();
  }
  return () => cancel();
}
