import type { FactStore } from '../src/store.ts';

/** A store under test, which whoever opened it closes. */
export interface OpenStore {
  readonly store: FactStore;
  /** Ends the store as at the end of a program and opens what it left behind. Stores that forget have none. */
  readonly reopen?: () => Promise<FactStore>;
  /** Ends the store and removes what it left behind. */
  close(): Promise<void>;
}

/** Opens a store. */
export type Open = () => Promise<OpenStore>;

/** A test over a new store, which is closed however the test ends. */
export function onNewStore(open: Open, test: (store: FactStore) => Promise<void>): () => Promise<void> {
  return async () => {
    const opened = await open();
    try {
      await test(opened.store);
    } finally {
      await opened.close();
    }
  };
}
