/** Whether the server can do its work now. */
export type Readiness = () => Promise<boolean>;

// Anyone may ask, and each look costs a flush of the disk.
const LOOK_EVERY_MS = 1_000;

/**
 * Ready is a server whose store can be read and written: `look` does both, and throws when one fails. It is
 * called once a second at most, however many ask. The first look that fails after a good one is told to `onFault`.
 */
export function createReadiness(
  look: () => Promise<void>,
  monotonicNow: () => number,
  onFault: (error: unknown) => void,
): Readiness {
  let wasReady = true;
  let last: { readonly at: number; readonly isReady: Promise<boolean> } | null = null;
  async function looked(): Promise<boolean> {
    try {
      await look();
      wasReady = true;
    } catch (error) {
      if (wasReady) onFault(error);
      wasReady = false;
    }
    return wasReady;
  }

  return () => {
    const now = monotonicNow();
    if (last === null || now - last.at >= LOOK_EVERY_MS) {
      last = { at: now, isReady: looked() };
    }
    return last.isReady;
  };
}
