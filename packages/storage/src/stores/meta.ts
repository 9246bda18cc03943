import { textOf } from '../rows/cells.ts';
import { utf8 } from '../utf8.ts';
import type { Tables } from './tables.ts';

/** What is true of the whole store, such as which subjects are public, under short names. */
export interface Meta {
  /** The value, or null when there is none. Of what another process sets, this may be told only after a new start. */
  get(key: string): string | null;
  /** Sets the value; it is durable when the promise resolves. */
  set(key: string, value: string): Promise<void>;
}

/** The settings of a store that other processes may write to, as they stand there now. */
export async function openMeta(db: Tables): Promise<Meta> {
  const rows = await db.select('SELECT key, value FROM meta');
  const known = new Map(rows.map(({ key, value }) => [textOf(key), textOf(value)]));
  return {
    get: (key) => known.get(key) ?? null,
    async set(key, value) {
      const sql = `INSERT INTO meta (key, value) VALUES (:key, :value)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
      await db.run({ sql, cells: { key, value: utf8(value) } });
      known.set(key, value);
    },
  };
}
