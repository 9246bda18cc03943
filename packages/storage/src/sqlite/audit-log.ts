import type { AuditEntry, AuditRow } from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import {
  auditRowAfter,
  countRow,
  minuteOf,
  NO_ROW,
  openAuditRow,
  openCount,
  UNREADABLE,
} from '../rows/audit-rows.ts';
import { numberOf, textOrNull } from '../rows/cells.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import type { SqliteDatabase } from './database.ts';
import { refusal } from './sqlite-errors.ts';

/** The audit log's tables. Callers give the transaction. */
export interface AuditLog {
  /** Appends a row, after the counts of earlier minutes. */
  add(entry: AuditEntry): void;
  /** Adds to the count of the entry's minute. */
  count(entry: AuditEntry): void;
  rows(fromIndex: number, limit: number): AuditRow[];
  counts(): AuditEntry[];
}

/** The log on a database. */
export function createAuditLog(db: SqliteDatabase, key: RecordKey): AuditLog {
  const last = db.prepare('SELECT * FROM audit ORDER BY row_index DESC LIMIT 1');
  const insert = db.prepare(
    `INSERT INTO audit (row_index, ${SEAL_COLUMNS}) VALUES (:row_index, ${SEAL_PARAMETERS})`,
  );
  const page = db.prepare('SELECT * FROM audit WHERE row_index >= :from ORDER BY row_index LIMIT :limit');
  const increase = db.prepare(`
    UPDATE audit_counts SET attempts = attempts + :attempts WHERE at = :at AND attempt_index = :attempt_index`);
  const begin = db.prepare(`
    INSERT INTO audit_counts (at, attempt_index, attempts, ${SEAL_COLUMNS})
    VALUES (:at, :attempt_index, :attempts, ${SEAL_PARAMETERS})`);
  const counted = db.prepare('SELECT * FROM audit_counts ORDER BY at, id');
  const ended = db.prepare('SELECT * FROM audit_counts WHERE at < :minute ORDER BY at, id');
  const first = db.prepare('SELECT min(at) AS at FROM audit_counts');
  const drop = db.prepare('DELETE FROM audit_counts WHERE at < :minute');

  const newest = db.keep(() => {
    const row = last.get();
    if (row === undefined) return NO_ROW;
    const opened = openAuditRow(key, row);
    // A row that would be linked to nothing would make the log look as if it began there.
    if (opened === null) throw refusal('damaged', db.file);
    return { index: numberOf(row.row_index), hash: opened.hash };
  });
  const oldestCount = db.keep(() => textOrNull(first.get()?.at));

  function link(entry: AuditEntry): void {
    const row = auditRowAfter(newest.get(), key, entry);
    insert.run(row.cells);
    newest.set(row.newest);
  }

  function linkCounts(minute: string): void {
    for (const row of ended.all({ minute })) link(openCount(key, row));
    drop.run({ minute });
    oldestCount.set(textOrNull(first.get()?.at));
  }

  return {
    add(entry) {
      const [oldest, minute] = [oldestCount.get(), minuteOf(entry.at)];
      if (oldest !== null && oldest < minute) linkCounts(minute);
      link(entry);
    },
    count(entry) {
      const row = countRow(key, entry);
      if (increase.run(row.clear) > 0) return;
      begin.run({ ...row.clear, ...row.sealed() });
      const oldest = oldestCount.get();
      if (oldest === null || entry.at < oldest) oldestCount.set(entry.at);
    },
    rows: (from, limit) => page.all({ from, limit }).map((row) => openAuditRow(key, row) ?? UNREADABLE),
    counts: () => counted.all().map((row) => openCount(key, row)),
  };
}
