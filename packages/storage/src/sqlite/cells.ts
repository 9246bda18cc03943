import type { SQLOutputValue } from 'node:sqlite';

// Every reader below takes any cell at all and never throws. A damaged row becomes a version that replaying
// its chain finds broken, instead of an error that also hides the rows around it.

/**
 * Text as its UTF-8 bytes: SQL functions end a text at its first NUL, and what was said is kept to the byte.
 *
 * @throws Error for a lone surrogate, which has no UTF-8 bytes.
 */
export function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new Error('a text with a lone surrogate cannot be stored');
  return Buffer.from(text, 'utf8');
}

/** {@link utf8}, or null for null. */
export function utf8OrNull(text: string | null): Uint8Array | null {
  return text === null ? null : utf8(text);
}

/** A text, from a TEXT cell or from UTF-8 bytes. */
export function textOf(cell: SQLOutputValue | undefined): string {
  if (cell instanceof Uint8Array)
    return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('utf8');
  return String(cell ?? '');
}

/** {@link textOf}, or null for NULL. */
export function textOrNull(cell: SQLOutputValue | undefined): string | null {
  return cell === null || cell === undefined ? null : textOf(cell);
}

/** A number, NaN where the cell holds none. */
export function numberOf(cell: SQLOutputValue | undefined): number {
  return typeof cell === 'bigint' || typeof cell === 'number' ? Number(cell) : Number.NaN;
}

/** Bytes, none where the cell holds none. */
export function bytesOf(cell: SQLOutputValue | undefined): Uint8Array {
  return cell instanceof Uint8Array ? cell : new Uint8Array();
}

/** {@link bytesOf}, or null for NULL. */
export function bytesOrNull(cell: SQLOutputValue | undefined): Uint8Array | null {
  return cell === null || cell === undefined ? null : bytesOf(cell);
}
