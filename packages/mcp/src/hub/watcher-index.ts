/** Who watches what. A key that nobody watches takes no memory. */
export class WatcherIndex<K, W> {
  readonly #watchers = new Map<K, Set<W>>();

  of(key: K): ReadonlySet<W> | undefined {
    return this.#watchers.get(key);
  }

  add(watcher: W, key: K): void {
    const watchers = this.#watchers.get(key);
    if (watchers === undefined) this.#watchers.set(key, new Set([watcher]));
    else watchers.add(watcher);
  }

  remove(watcher: W, key: K): void {
    const watchers = this.#watchers.get(key);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.#watchers.delete(key);
  }
}
