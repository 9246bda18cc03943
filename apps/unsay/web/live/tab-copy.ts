import type { TokenStorage } from './pairing.ts';

/** How long a page that is being left may take to let go: a reload asks before the page it replaces is gone. */
const LETTING_GO_MS = 2_000;

interface Browser {
  readonly storage: TokenStorage;
  /** Absent where the page is served without TLS under another name than localhost. */
  readonly locks: LockManager | undefined;
}

/**
 * Tells whether this tab was made by duplicating another that is still open, which copies its storage. Each tab keeps a
 * name and holds a lock of that name for as long as its page is shown; of two with one name, the later one gets none.
 * It then takes a name of its own. Without locks no tab counts as a copy.
 */
export function isCopyOfTab(key: string, { storage, locks }: Browser): () => Promise<boolean> {
  if (locks === undefined) return async () => false;
  const found = storage.getItem(key);
  const name = found ?? renamed(key, storage);
  const isOurs = held(locks, name, AbortSignal.timeout(LETTING_GO_MS));
  const isCopy = isOurs.then((ours) => {
    if (!ours) void held(locks, renamed(key, storage));
    return !ours;
  });
  return () => isCopy;
}

function renamed(key: string, storage: TokenStorage): string {
  const name = `${key}.${crypto.randomUUID()}`;
  storage.setItem(key, name);
  return name;
}

/** Whether the lock was had in time; it is held from then on. */
function held(locks: LockManager, name: string, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const options = signal === undefined ? {} : { signal };
    const keep = (): Promise<never> => {
      resolve(true);
      return new Promise(() => {});
    };
    locks.request(name, options, keep).catch(() => resolve(false));
  });
}
