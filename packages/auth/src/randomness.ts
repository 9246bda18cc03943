/**
 * The only source of random bytes in this package. `purpose` and `record` say what the bytes are for;
 * an implementation used outside tests must ignore them and draw from the system's generator.
 */
export interface Randomness {
  bytes(purpose: string, record: string, length: number): Uint8Array;
}
