/** A map that holds at most `capacity` entries and drops the one that was not asked for the longest. */
export interface RecentlyUsed<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

export function createRecentlyUsed<Value>(capacity: number): RecentlyUsed<Value> {
  // A Map iterates in order of insertion, so re-inserting at each use keeps the stalest entry first.
  const entries = new Map<string, Value>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= capacity) return;
      for (const stalest of entries.keys()) {
        entries.delete(stalest);
        return;
      }
    },
  };
}
