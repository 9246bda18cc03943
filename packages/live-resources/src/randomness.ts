import { hkdfSync } from 'node:crypto';

/**
 * Where all random bytes come from. Injected once, from an application's entry point.
 *
 * `purpose` and `record` say what the bytes are for ("salt/value", "care://ray/x/v2"). A live source
 * ignores them; a seeded one derives its bytes from nothing else, so that a reproducible run does not
 * depend on the order of calls.
 */
export interface Randomness {
  bytes(purpose: string, record: string, length: number): Uint8Array;
}

/**
 * Reproducible bytes for seeds, proofs and tests: HKDF-SHA256 (RFC 5869) of a constant.
 * Not a secret source: whoever knows the seed knows every byte.
 */
export function seededRandomness(seed: string): Randomness {
  return {
    bytes(purpose, record, length) {
      // The length prefix keeps ("a", "b/c") and ("a/b", "c") apart.
      const info = `${purpose.length}:${purpose}/${record}`;
      return new Uint8Array(hkdfSync('sha256', seed, 'unsay seeded randomness', info, length));
    },
  };
}
