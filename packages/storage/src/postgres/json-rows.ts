import type { Cell, CellInput, Row } from '../rows/cells.ts';

/** Rows as the JSON of which the engine makes records again; bytes are in its own hexadecimal form. */
export function jsonRows(rows: readonly Readonly<Record<string, CellInput>>[]): string {
  const cellOf = (cell: CellInput): CellInput =>
    cell instanceof Uint8Array ? `\\x${Buffer.from(cell).toString('hex')}` : cell;
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, cellOf(cell)])),
    ),
  );
}

/** The rows that the engine made JSON of; what is not bytes never begins as they do. */
export function rowsOfJson(json: string): Row[] {
  const rows: readonly Record<string, Cell>[] = JSON.parse(json);
  const cellOf = (cell: Cell): Cell =>
    typeof cell === 'string' && cell.startsWith('\\x') ? Buffer.from(cell.slice(2), 'hex') : cell;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, cellOf(cell)])),
  );
}
