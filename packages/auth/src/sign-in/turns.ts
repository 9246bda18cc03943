/** Work on the same thing, one piece after the other. */
export interface Turns {
  /** Runs `work` when all earlier work on the key has ended, however that ended; gives what it gives. */
  take<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Work on different keys does not wait for each other. Nothing is kept of a key without work. */
export function createTurns(): Turns {
  const lastOf = new Map<string, Promise<void>>();
  return {
    take(key, work) {
      const result = (lastOf.get(key) ?? Promise.resolve()).then(work);
      const ended = result.then(ignore, ignore).then(() => {
        if (lastOf.get(key) === ended) lastOf.delete(key);
      });
      lastOf.set(key, ended);
      return result;
    },
  };
}

/** How earlier work ended concerns whoever asked for it, and nobody who comes after. */
function ignore(): void {}
