/** What a data key is for. Whoever unwraps it must name the same. */
export interface DataKeyContext {
  readonly storeId: string;
  /** The subject whose records it seals, or null for the store's own. */
  readonly subject: string | null;
  readonly dataKeyId: string;
}

/** Wraps data keys under a key of its own, here or in another machine. It never sees a record. */
export interface KeyProvider {
  /** `local`, or `none` for a store in plain bytes. */
  readonly id: string;
  /** Which of its keys wraps; not secret. */
  readonly keyId: string;
  /** Bytes that only {@link unwrap} understands. */
  wrap(dataKey: Uint8Array, context: DataKeyContext): Promise<Uint8Array>;
  /** The data key, or null when these bytes were not wrapped under this key in this context. */
  unwrap(wrapped: Uint8Array, context: DataKeyContext): Promise<Uint8Array | null>;
}

/** No keys at all: whoever reads the file reads the facts. Whoever starts such a store must be told. */
export const plaintextProvider: KeyProvider = {
  id: 'none',
  keyId: 'none',
  wrap: async () => new Uint8Array(),
  unwrap: async () => new Uint8Array(),
};
