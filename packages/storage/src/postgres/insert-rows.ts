import type { CellInput } from '../rows/cells.ts';
import type { Command } from '../stores/tables.ts';
import { jsonRows } from './json-rows.ts';

/** Inserts rows that have the same columns; `then` says what happens where one is there already. */
export function insertRows(
  table: string,
  rows: readonly Readonly<Record<string, CellInput>>[],
  then = '',
): Command {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  return {
    sql: `INSERT INTO ${table} (${columns})
      SELECT ${columns} FROM json_populate_recordset(NULL::${table}, :rows::json) ${then}`,
    cells: { rows: jsonRows(rows) },
  };
}
