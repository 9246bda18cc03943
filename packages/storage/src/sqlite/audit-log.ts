import type { SQLInputValue } from 'node:sqlite';
import { type AuditEntry, type AuditRow, type Instant, linkAudit } from '@unsay/live-resources';
import { numberOf, textOf, textOrNull, utf8OrNull } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';

/** The audit log's tables. Callers give the transaction. */
export interface AuditLog {
  /** Appends a row, after the counts of earlier minutes. */
  add(entry: AuditEntry): void;
  /** Adds to the count of the entry's minute. */
  count(entry: AuditEntry): void;
  rows(fromIndex: number, limit: number): AuditRow[];
  counts(): AuditEntry[];
}

const SAME_ATTEMPT =
  'at = :at AND actor IS :actor AND uri IS :uri AND outcome = :outcome AND reason IS :reason AND via = :via';

/** The log on a database. */
export function createAuditLog(db: SqliteDatabase): AuditLog {
  const last = db.prepare('SELECT row_index, hash FROM audit ORDER BY row_index DESC LIMIT 1');
  const insert = db.prepare(`
    INSERT INTO audit (row_index, at, actor, uri, outcome, reason, via, attempts, prev_hash, hash)
    VALUES (:row_index, :at, :actor, :uri, :outcome, :reason, :via, :attempts, :prev_hash, :hash)`);
  const page = db.prepare('SELECT * FROM audit WHERE row_index >= :from ORDER BY row_index LIMIT :limit');
  const increase = db.prepare(
    `UPDATE audit_counts SET attempts = attempts + :attempts WHERE ${SAME_ATTEMPT}`,
  );
  const begin = db.prepare(`
    INSERT INTO audit_counts (at, actor, uri, outcome, reason, via, attempts)
    VALUES (:at, :actor, :uri, :outcome, :reason, :via, :attempts)`);
  const counted = db.prepare('SELECT * FROM audit_counts ORDER BY at, id');
  const ended = db.prepare('SELECT * FROM audit_counts WHERE at < :minute ORDER BY at, id');
  const drop = db.prepare('DELETE FROM audit_counts WHERE at < :minute');

  function link(entry: AuditEntry): void {
    const before = last.get();
    const row = linkAudit(entry, textOrNull(before?.hash));
    const index = before === undefined ? 0 : numberOf(before.row_index) + 1;
    insert.run({ row_index: index, ...attemptCells(entry), prev_hash: row.prevHash, hash: row.hash });
  }

  return {
    add(entry) {
      const minute = minuteOf(entry.at);
      for (const row of ended.all({ minute })) link(entryOf(row));
      drop.run({ minute });
      link(entry);
    },
    count(entry) {
      // What the log would refuse later must not wait in a count: it would stop every row after it.
      linkAudit(entry, null);
      const cells = attemptCells(entry);
      if (increase.run(cells) === 0) begin.run(cells);
    },
    rows: (from, limit) => page.all({ from, limit }).map(rowOf),
    counts: () => counted.all().map(entryOf),
  };
}

function attemptCells({
  at,
  actor,
  uri,
  outcome,
  reason,
  via,
  count,
}: AuditEntry): Record<string, SQLInputValue> {
  return { at, actor: utf8OrNull(actor), uri, outcome, reason, via, attempts: count };
}

// The cast claims what replaying the log checks.
function entryOf(row: Row): AuditEntry {
  return {
    at: textOf(row.at) as Instant,
    actor: textOrNull(row.actor),
    uri: textOrNull(row.uri),
    outcome: textOf(row.outcome) as AuditEntry['outcome'],
    reason: textOrNull(row.reason),
    via: textOf(row.via),
    count: numberOf(row.attempts),
  };
}

function rowOf(row: Row): AuditRow {
  return { ...entryOf(row), prevHash: textOrNull(row.prev_hash), hash: textOf(row.hash) };
}

function minuteOf(at: Instant): string {
  return `${at.slice(0, 'YYYY-MM-DDTHH:MM'.length)}:00.000Z`;
}
