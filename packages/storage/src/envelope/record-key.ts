import type { Field } from './fields.ts';
import type { SealedBytes } from './sealed-bytes.ts';

/**
 * Where a record stands and what its clear columns say: the table first, then the fields of that table in a
 * fixed order. A record opens only in the place it was sealed for.
 */
export type Place = readonly [table: string, ...fields: Field[]];

/** Seals the records of one subject, or of the store itself. */
export interface RecordKey {
  /** Names the data key; random, not secret. */
  readonly id: string;
  seal(place: Place, plain: Uint8Array): SealedBytes;
  /** The plain bytes, or null when they are not what was sealed in this place under this key. */
  open(place: Place, sealed: SealedBytes): Uint8Array | null;
  /** What stands for a name in clear: the same for the same name, and no guess at the name can be tried without the key. */
  index(purpose: string, name: string | Uint8Array): Uint8Array;
}
