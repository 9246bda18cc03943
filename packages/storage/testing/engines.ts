import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../src/sqlite/open-database.ts';
import type { Tables } from '../src/stores/tables.ts';
import { temporarySchema } from './open-postgres-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An open store of some engine. */
export type OpenTables = Tables & { close(): void | Promise<void> };

/** Where a store is kept for one test. */
export interface Place {
  /** Opens what is there, or makes it. Whoever opened it closes it. */
  open(): Promise<OpenTables>;
  /** Every byte that is kept there. */
  bytes(): Promise<Buffer>;
  /** Removes it. */
  remove(): Promise<void>;
}

/** An engine that keeps what is not about facts, which is written once for all of them. */
export interface Engine {
  readonly name: string;
  makePlace(): Promise<Place>;
  /** How many runs of a property are worth their time, of so many. */
  runs(of: number): number;
}

const sqlite: Engine = {
  name: 'SQLite',
  runs: (of) => of,
  async makePlace() {
    const folder = temporaryFolder();
    return {
      open: async () => openDatabase(folder.path),
      bytes: async () =>
        Buffer.concat(readdirSync(folder.path).map((file) => readFileSync(join(folder.path, file)))),
      remove: async () => folder[Symbol.dispose](),
    };
  },
};

const postgres: Engine = {
  name: 'PostgreSQL',
  // Each statement is a way to another process.
  runs: (of) => Math.ceil(of / 8),
  async makePlace() {
    const schema = await temporarySchema();
    return {
      open: () => schema.open(),
      async bytes() {
        const tables = await schema.execute(
          'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()',
        );
        const cells: Buffer[] = [];
        for (const { tablename } of tables) {
          for (const row of await schema.execute(`SELECT * FROM ${tablename}`)) {
            for (const cell of Object.values(row)) {
              cells.push(cell instanceof Uint8Array ? Buffer.from(cell) : Buffer.from(String(cell)));
            }
          }
        }
        return Buffer.concat(cells);
      },
      remove: () => schema.close(),
    };
  },
};

/** Every engine there is. */
export const ENGINES: readonly Engine[] = [sqlite, postgres];

/** Opens a store of its own for a test, and removes it however the test ends. */
export async function onPlace<T>(engine: Engine, test: (place: Place) => Promise<T>): Promise<T> {
  const place = await engine.makePlace();
  try {
    return await test(place);
  } finally {
    await place.remove();
  }
}
