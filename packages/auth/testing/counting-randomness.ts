import type { Randomness } from '../src/randomness.ts';

/** Bytes that never repeat and are the same in every run. */
export function createCountingRandomness(): Randomness {
  let count = 0;
  return {
    bytes(_purpose, _record, length) {
      count += 1;
      const bytes = Buffer.alloc(length);
      bytes.writeUInt32BE(count, length - 4);
      return bytes;
    },
  };
}
