import type { SealedBytes } from '../envelope/sealed-bytes.ts';
import { bytesOf, type CellInput, type Row, textOf } from './cells.ts';

/** The columns that every table with sealed bytes has, and their parameters. */
export const SEAL_COLUMNS = 'key_id, nonce, tag, commitment, ciphertext';
export const SEAL_PARAMETERS = ':key_id, :nonce, :tag, :commitment, :ciphertext';

/** Sealed bytes as cells. */
export function sealCells({
  keyId,
  nonce,
  tag,
  commitment,
  ciphertext,
}: SealedBytes): Record<string, CellInput> {
  return { key_id: keyId, nonce, tag, commitment, ciphertext };
}

/** The sealed bytes of a row, as they stand there. */
export function sealedOf(row: Row): SealedBytes {
  return {
    keyId: textOf(row.key_id),
    nonce: bytesOf(row.nonce),
    tag: bytesOf(row.tag),
    commitment: bytesOf(row.commitment),
    ciphertext: bytesOf(row.ciphertext),
  };
}
