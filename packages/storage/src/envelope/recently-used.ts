/** A cache of bounded weight that forgets what was used the longest time ago. */
export interface RecentlyUsed<Value> {
  get(key: string): Value | undefined;
  /** Keeps a value, or weighs one anew that has grown. One that alone is too heavy is kept until the next. */
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** An empty cache that holds values of at most `most` together. */
export function createRecentlyUsed<Value>(
  most: number,
  weigh: (value: Value) => number = () => 1,
): RecentlyUsed<Value> {
  const entries = new Map<string, { readonly value: Value; readonly weight: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      // A map keeps the order of insertion.
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      remove(key);
      const entry = { value, weight: weigh(value) };
      entries.set(key, entry);
      total += entry.weight;
      for (const oldest of entries.keys()) {
        if (total <= most || oldest === key) return;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
