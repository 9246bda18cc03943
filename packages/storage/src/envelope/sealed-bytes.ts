/** The bytes of a record as they are stored. In a store without keys, `ciphertext` is the plain bytes. */
export interface SealedBytes {
  /** The data key; not secret. */
  readonly keyId: string;
  readonly nonce: Uint8Array;
  readonly tag: Uint8Array;
  /** Ties the record to one data key; see docs/spec/envelope.md. */
  readonly commitment: Uint8Array;
  readonly ciphertext: Uint8Array;
}
