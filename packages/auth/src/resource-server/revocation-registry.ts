import { type Clock, epochSeconds } from '../clock.ts';
import type { VerifiedToken } from './verified-token.ts';

/** A verifier may accept a token this long past its end, so a revocation must outlast it by as much. */
export const MAX_CLOCK_TOLERANCE_SECONDS = 300;

const FIRST_SWEEP_SIZE = 1024;

export interface Revocation {
  /** See `VerifiedToken.tokenHash`; not a hash over the token's signature. */
  readonly tokenHash: string;
  /** Epoch seconds, the token's own. */
  readonly expiresAt: number;
}

/** Where revocations outlive the process. */
export interface RevocationStore {
  /** Resolves once the revocation would survive a power cut. The same one may be added again. */
  add(tokenHash: string, expiresAt: number): Promise<void>;
  /** Every revocation, of whichever node, of a token that ends after `nowSeconds` (epoch seconds). */
  all(nowSeconds: number): Promise<Iterable<Revocation>>;
}

export interface RevocationRegistry {
  /**
   * Takes in what the store holds. Needed once before anything is asked; again whenever another node may
   * have revoked a token, and then listeners hear of what is new.
   */
  load(): Promise<void>;
  /**
   * Ends the token here at once, and for good when the promise resolves. Rejects when the store fails: the
   * token stays refused by this process, and revoking again tries the store again.
   */
  revoke(token: Pick<VerifiedToken, 'tokenHash' | 'expiresAt'>): Promise<void>;
  /** Ends every token that has the key (see `revocationKey`); `expiresAt` is when the last of them ends by itself. */
  revokeKey(key: string, expiresAt: number): Promise<void>;
  /** Whether a token's hash, or one of its other keys, was revoked. */
  isRevoked(key: string): boolean;
  /** Calls `listener` with each newly revoked `tokenHash`, before `revoke` returns. Gives the way to stop. */
  onRevoked(listener: (tokenHash: string) => void): () => void;
}

/** Keeps the revoked tokens in memory, so that asking costs no more than a look-up. */
export function createRevocationRegistry(store: RevocationStore, clock: Clock): RevocationRegistry {
  const revoked = new Map<string, number>();
  const listeners = new Set<(tokenHash: string) => void>();
  let isLoaded = false;
  let sweepSize = FIRST_SWEEP_SIZE;

  function oldestThatMatters(): number {
    return epochSeconds(clock) - MAX_CLOCK_TOLERANCE_SECONDS;
  }

  function sweep(): void {
    if (revoked.size < sweepSize) return;
    const oldest = oldestThatMatters();
    for (const [tokenHash, expiresAt] of revoked) {
      if (expiresAt < oldest) revoked.delete(tokenHash);
    }
    sweepSize = Math.max(FIRST_SWEEP_SIZE, revoked.size * 2);
  }

  /** Gives what listeners threw: one that fails must keep neither the others nor the store from knowing. */
  function takeIn({ tokenHash, expiresAt }: Revocation): readonly unknown[] {
    const known = revoked.get(tokenHash);
    if (known !== undefined) {
      // A key may be revoked again for tokens that were made since.
      if (expiresAt > known) revoked.set(tokenHash, expiresAt);
      return [];
    }
    sweep();
    revoked.set(tokenHash, expiresAt);
    const failures: unknown[] = [];
    for (const listener of listeners) {
      try {
        listener(tokenHash);
      } catch (failure) {
        failures.push(failure);
      }
    }
    return failures;
  }

  async function revoke(tokenHash: string, expiresAt: number): Promise<void> {
    const failures = takeIn({ tokenHash, expiresAt });
    await store.add(tokenHash, expiresAt);
    throwFailuresOf(failures);
  }

  return {
    async load() {
      const failures: unknown[] = [];
      for (const revocation of await store.all(oldestThatMatters())) failures.push(...takeIn(revocation));
      isLoaded = true;
      throwFailuresOf(failures);
    },
    revoke: ({ tokenHash, expiresAt }) => revoke(tokenHash, expiresAt),
    revokeKey: revoke,
    isRevoked(tokenHash) {
      // Answering "no" from an empty memory would bring every revoked token back to life.
      if (!isLoaded) throw new Error('revocations must be loaded before a token is judged');
      return revoked.has(tokenHash);
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function throwFailuresOf(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, 'a listener failed on a revocation');
}
