import { utf8 } from '../utf8.ts';
import type { RecordKey } from './record-key.ts';

const NOTHING = new Uint8Array();

/** Seals nothing: for a store whose records are kept in plain bytes, in the same columns. */
export function createPlainKey(id: string): RecordKey {
  return {
    id,
    seal: (_place, plain) => ({
      keyId: id,
      nonce: NOTHING,
      tag: NOTHING,
      commitment: NOTHING,
      ciphertext: plain,
    }),
    open: (_place, { keyId, ciphertext }) => (keyId === id ? ciphertext : null),
    index: (_purpose, name) => (typeof name === 'string' ? utf8(name) : name),
  };
}
