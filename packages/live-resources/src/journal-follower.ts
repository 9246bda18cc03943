import type { JournalEntry, Position } from './journal.ts';
import type { FactStore } from './store.ts';

/** Follows the journal from where it was started, entry by entry, in order, each once. */
export interface JournalFollower {
  /**
   * Reads on. Called after a publication here, or when another process says that it wrote; a wake-up that
   * is lost costs only time, since the next one reads everything in between.
   */
  wake(): Promise<void>;
  /**
   * Takes an entry that was just written here, without reading it back, when it is the very next one.
   * Otherwise it reads on, as {@link wake} does.
   */
  take(entry: JournalEntry): Promise<void>;
}

const BATCH = 256;

/** A follower from `start` on. `onEntry` is called for one entry at a time and must not throw. */
export function followJournal(
  store: FactStore,
  start: Position,
  onEntry: (entry: JournalEntry) => void,
): JournalFollower {
  let position = start;
  let running: Promise<void> | null = null;
  let again = false;

  async function drain(): Promise<void> {
    try {
      do {
        again = false;
        for (let batch = await store.journal(position, BATCH); batch.length > 0; ) {
          for (const entry of batch) {
            position = entry.position;
            onEntry(entry);
          }
          batch = batch.length < BATCH ? [] : await store.journal(position, BATCH);
        }
      } while (again);
    } finally {
      // In the same turn as the last look at `again`: a wake-up in between would be lost.
      running = null;
    }
  }

  function wake(): Promise<void> {
    if (running !== null) {
      again = true;
      return running;
    }
    running = drain();
    return running;
  }

  return {
    wake,
    take(entry) {
      if (running !== null || entry.position !== position + 1) return wake();
      position = entry.position;
      onEntry(entry);
      return Promise.resolve();
    },
  };
}
