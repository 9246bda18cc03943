import { type CellInput, type Row, textOf } from '../rows/cells.ts';
import type { Command } from '../stores/tables.ts';
import type { Transaction } from './database.ts';
import { rowsOfJson } from './json-rows.ts';

/** The rows of several queries, which cost one way to the server. */
export async function selectTogether<Name extends string>(
  within: Pick<Transaction, 'select'>,
  queries: Readonly<Record<Name, Command>>,
): Promise<Readonly<Record<Name, Row[]>>> {
  const named = Object.entries<Command>(queries);
  const { sqls, cells } = apart(named.map(([, query]) => query));
  const columns = sqls.map(
    (sql, index) => `(SELECT coalesce(json_agg(r), '[]')::text FROM (${sql}) r) AS ${named[index]?.[0]}`,
  );
  const [row] = await within.select(`SELECT ${columns.join(', ')}`, cells);
  const rows = named.map(([name]) => [name, rowsOfJson(textOf(row?.[name]))]);
  return Object.fromEntries(rows) as Record<Name, Row[]>;
}

/** Commands as one, which costs one way to the server. None may touch a row that another does. */
export function together(commands: readonly Command[]): Command {
  const { sqls, cells } = apart(commands);
  const parts = sqls.map((sql, index) => `part_${index} AS (${sql})`);
  return { sql: `WITH ${parts.join(', ')} SELECT 1`, cells };
}

// Each has parameters of its own, whatever they are called.
function apart(commands: readonly Command[]): {
  readonly sqls: string[];
  readonly cells: Record<string, CellInput>;
} {
  const cells: Record<string, CellInput> = {};
  const sqls = commands.map(({ sql, cells: own }, index) => {
    const letter = String.fromCharCode('a'.charCodeAt(0) + index);
    for (const [name, cell] of Object.entries(own)) cells[`${name}_${letter}`] = cell;
    return sql.replace(/(?<!:):([a-z_]+)/g, `:$1_${letter}`);
  });
  return { sqls, cells };
}
