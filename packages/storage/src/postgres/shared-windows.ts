import type { KeyRing } from '../keys/key-ring.ts';
import { numberOf } from '../rows/cells.ts';
import type { PostgresDatabase } from './database.ts';

/** A limit of which every server of the database counts the same. */
export interface SharedWindow {
  /** Takes one in: 0, or the milliseconds until one more may come, when it was not taken in. */
  take(key: string): Promise<number>;
}

export interface SharedWindowOptions {
  /** Tells one limit from another. */
  readonly kind: string;
  readonly limit: number;
  readonly windowMs: number;
}

// In microseconds of the database, so that the clocks of servers may differ.
const NOW = `(SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now)`;
// The row is locked before it is changed, so of requests at the same time each sees what the one before it left.
const TAKE = `
  WITH clock AS MATERIALIZED ${NOW}
  INSERT INTO limit_windows AS known (kind, key_index, times, was_taken, ends_at)
  SELECT :kind, :key_index, ARRAY[now], 1, now + :window FROM clock
  ON CONFLICT (kind, key_index) DO UPDATE SET (times, was_taken, ends_at) = (
    SELECT CASE WHEN cardinality(counting) < :most THEN counting || now ELSE counting END,
      CASE WHEN cardinality(counting) < :most THEN 1 ELSE 0 END,
      CASE WHEN cardinality(counting) < :most THEN now + :window ELSE known.ends_at END
    FROM clock, LATERAL (
      SELECT ARRAY(SELECT at FROM unnest(known.times) AS at WHERE at > now - :window) AS counting
    ) AS kept
  )
  RETURNING was_taken, (SELECT now FROM clock) AS now, (SELECT min(at) FROM unnest(times) AS at) AS oldest`;
const FORGET = `
  DELETE FROM limit_windows WHERE (kind, key_index) IN (
    SELECT kind, key_index FROM limit_windows WHERE ends_at < (SELECT now FROM ${NOW} AS clock)
    ORDER BY ends_at LIMIT 64 FOR UPDATE SKIP LOCKED)`;
/** So many are taken in before those that ended are looked for once. */
const FORGET_EVERY = 64;

/** An exact limit in a database: at most `limit` of a key in any time of `windowMs`, whichever server they come to. */
export function createSharedWindow(
  db: PostgresDatabase,
  { store: key }: KeyRing,
  { kind, limit, windowMs }: SharedWindowOptions,
): SharedWindow {
  const window = windowMs * 1000;
  let taken = 0;
  return {
    async take(name) {
      const cells = { kind, key_index: key.index('limit', name), window, most: limit };
      const [row] = await db.select(TAKE, cells);
      taken += 1;
      if (taken % FORGET_EVERY === 0) await db.select(FORGET);
      if (numberOf(row?.was_taken) === 1) return 0;
      // At least one: a time that is over already may still have counted when this one came.
      return Math.max(1, (numberOf(row?.oldest) + window - numberOf(row?.now)) / 1000);
    },
  };
}
