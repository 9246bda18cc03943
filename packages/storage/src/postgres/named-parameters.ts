import type { CellInput, Cells } from '../rows/cells.ts';
import type { PostgresQuery } from './driver.ts';

interface Positional {
  readonly text: string;
  readonly names: readonly string[];
}

const known = new Map<string, Positional>();

/** A statement with parameters such as `:id` as the engine takes it. A missing one is NULL. */
export function positional(sql: string, cells: Cells): PostgresQuery {
  const { text, names } = known.get(sql) ?? remember(sql);
  return { text, values: names.map((name): CellInput => cells[name] ?? null) };
}

// As many as there are statements in the program.
function remember(sql: string): Positional {
  const names: string[] = [];
  // Not the second colon of a cast.
  const text = sql.replace(/(?<!:):([a-z_]+)/g, (_whole, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const made = { text, names };
  known.set(sql, made);
  return made;
}
