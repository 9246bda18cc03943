import type { SQLOutputValue } from 'node:sqlite';

/** What a row or a field may hold. */
export type Cell = SQLOutputValue | Uint8Array | undefined;

// Every reader below takes any cell at all and never throws. A damaged row becomes a version that replaying
// its chain finds broken, instead of an error that also hides the rows around it.

/** A text, from a TEXT cell or from UTF-8 bytes. */
export function textOf(cell: Cell): string {
  if (cell instanceof Uint8Array)
    return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('utf8');
  return String(cell ?? '');
}

/** {@link textOf}, or null for NULL. */
export function textOrNull(cell: Cell): string | null {
  return cell === null || cell === undefined ? null : textOf(cell);
}

/** A number, NaN where the cell holds none. */
export function numberOf(cell: Cell): number {
  return typeof cell === 'bigint' || typeof cell === 'number' ? Number(cell) : Number.NaN;
}

/** Bytes, none where the cell holds none. */
export function bytesOf(cell: Cell): Uint8Array {
  return cell instanceof Uint8Array ? cell : new Uint8Array();
}

/** {@link bytesOf}, or null for NULL. */
export function bytesOrNull(cell: Cell): Uint8Array | null {
  return cell === null || cell === undefined ? null : bytesOf(cell);
}
