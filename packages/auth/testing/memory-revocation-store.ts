import type { Revocation, RevocationStore } from '../src/resource-server/revocation-registry.ts';

/** A store that a test can look into and share between registries, as nodes share a database. */
export interface MemoryRevocationStore extends RevocationStore {
  readonly kept: Map<string, number>;
}

export function createMemoryRevocationStore(): MemoryRevocationStore {
  const kept = new Map<string, number>();
  return {
    kept,
    async add(tokenHash, expiresAt) {
      kept.set(tokenHash, expiresAt);
    },
    async all(nowSeconds) {
      const revocations: Revocation[] = [];
      for (const [tokenHash, expiresAt] of kept) {
        if (expiresAt > nowSeconds) revocations.push({ tokenHash, expiresAt });
      }
      return revocations;
    },
  };
}
