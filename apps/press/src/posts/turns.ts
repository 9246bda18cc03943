/** Runs things one after another, in the order of asking. */
export type Turns = <Result>(run: () => Promise<Result>) => Promise<Result>;

/**
 * Takes turns within one process. That two changes exclude each other is the repository's doing, in any number of
 * processes; this only spares the work of trying in vain.
 */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const turn = last.then(run, run);
    last = turn.catch(() => undefined);
    return turn;
  };
}
