import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Arrival } from './arrival.ts';

/** The store's file in its folder. */
export const PROBE_FILE = 'probe.db';

/** A run of the probe: when it started, and for which build of a client its caller says that it is. */
export interface Run {
  readonly number: number;
  /** ISO 8601, to the day. */
  readonly day: string;
}

/** An arrival with its place in the store. */
export interface StoredArrival extends Arrival {
  readonly run: number;
  readonly day: string;
}

/** What the probe has seen. One process writes; others may read meanwhile. */
export interface ProbeStore {
  /** Keeps an arrival. What it is given must be redacted already: the store asks nothing. */
  keep(run: Run, arrival: Arrival): void;
  /** Opens the next run. */
  openRun(day: string): Run;
  /** Everything that arrived, in order. */
  all(): readonly StoredArrival[];
  close(): void;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA trusted_schema = OFF;
  CREATE TABLE IF NOT EXISTS run (number INTEGER PRIMARY KEY, day TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS arrival (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (number),
    redacted TEXT NOT NULL
  ) STRICT;
`;

/** Opens the store in a folder, and makes both where they are missing. Only its owner may read them. */
export function openProbeStore(folder: string): ProbeStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(folder, PROBE_FILE), { timeout: 2_000 });
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO arrival (run, redacted) VALUES (?, ?)');
  return {
    keep: ({ number }, arrival) => void insert.run(number, JSON.stringify(arrival)),
    openRun(day) {
      const { lastInsertRowid } = database.prepare('INSERT INTO run (day) VALUES (?)').run(day);
      return { number: Number(lastInsertRowid), day };
    },
    all: () => readArrivals(database),
    close: () => database.close(),
  };
}

/**
 * What a store holds, also of a probe that runs.
 *
 * @throws Error where there is no store in the folder.
 */
export function readProbeStore(folder: string): readonly StoredArrival[] {
  const database = new DatabaseSync(join(folder, PROBE_FILE), { readOnly: true, timeout: 2_000 });
  try {
    return readArrivals(database);
  } finally {
    database.close();
  }
}

function readArrivals(database: DatabaseSync): readonly StoredArrival[] {
  const rows = database
    .prepare('SELECT run, day, redacted FROM arrival JOIN run ON run.number = arrival.run ORDER BY seq')
    .all();
  return rows
    .map(({ run, day, redacted }) => ({
      ...(JSON.parse(String(redacted)) as Arrival),
      run: Number(run),
      day: String(day),
    }))
    .sort((one, other) => one.run - other.run || one.place - other.place);
}
