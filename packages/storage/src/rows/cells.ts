/** What is given to a statement. */
export type CellInput = string | number | bigint | Uint8Array | null;

/** What a row or a field may hold. Engines give integers as numbers, as bigints or as their digits. */
export type Cell = CellInput | undefined;

/** A row as an engine gives it, by column. */
export type Row = Readonly<Record<string, Cell>>;

/** The cells that a statement is given, by name. */
export type Cells = Readonly<Record<string, CellInput>>;

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
  const isNumber = typeof cell === 'bigint' || typeof cell === 'number';
  return isNumber || (typeof cell === 'string' && /^-?\d+$/.test(cell)) ? Number(cell) : Number.NaN;
}

/** Bytes, none where the cell holds none. */
export function bytesOf(cell: Cell): Uint8Array {
  return cell instanceof Uint8Array ? cell : new Uint8Array();
}

/** {@link bytesOf}, or null for NULL. */
export function bytesOrNull(cell: Cell): Uint8Array | null {
  return cell === null || cell === undefined ? null : bytesOf(cell);
}
