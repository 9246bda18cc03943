/**
 * The injected source of unpredictable bytes. A test may derive them from `purpose` and `record`, so that a run
 * can be repeated; a server draws them from the operating system.
 */
export interface Randomness {
  bytes(purpose: string, record: string, length: number): Uint8Array;
}
