import { type AuditEntry, type AuditRow, type Instant, linkAudit } from '@unsay/live-resources';
import { decodeFields, encodeFields, type Field } from '../envelope/fields.ts';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import { bytesOf, numberOf, textOf, textOrNull } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS, sealCells, sealedOf } from './seal-cells.ts';
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

/**
 * The log on a database. Rows are sealed whole, hashes included: a hash of so little that is unknown could be
 * tried against guesses.
 */
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
    const opened = openRow(key, row);
    // A row that would be linked to nothing would make the log look as if it began there.
    if (opened === null) throw refusal('damaged', db.file);
    return { index: numberOf(row.row_index), hash: opened.hash };
  });
  const oldestCount = db.keep(() => textOrNull(first.get()?.at));

  function link(entry: AuditEntry): void {
    const before = newest.get();
    const index = before.index + 1;
    const row = linkAudit(entry, before.hash);
    const plain = encodeFields([...entryFields(entry), row.prevHash, row.hash]);
    insert.run({ row_index: index, ...sealCells(key.seal(rowPlace(index), plain)) });
    newest.set({ index, hash: row.hash });
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
      // What the log would refuse later must not wait in a count: it would stop every row after it.
      linkAudit(entry, null);
      const plain = encodeFields(entryFields({ ...entry, count: 1 }));
      const index = key.index('attempt', plain);
      const cells = { at: entry.at, attempt_index: index, attempts: entry.count };
      if (increase.run(cells) > 0) return;
      begin.run({ ...cells, ...sealCells(key.seal(countPlace(entry.at, index), plain)) });
      const oldest = oldestCount.get();
      if (oldest === null || entry.at < oldest) oldestCount.set(entry.at);
    },
    rows: (from, limit) => page.all({ from, limit }).map((row) => openRow(key, row) ?? UNREADABLE),
    counts: () => counted.all().map((row) => openCount(key, row)),
  };
}

const NO_ROW = { index: -1, hash: null };

const UNREADABLE_ENTRY: AuditEntry = {
  at: '' as Instant,
  actor: null,
  uri: null,
  outcome: 'refused',
  reason: 'unreadable',
  via: 'unreadable',
  count: 0,
};
// No row has such a hash, so replaying the log finds it broken.
const UNREADABLE: AuditRow = { ...UNREADABLE_ENTRY, prevHash: null, hash: '' };

const ENTRY_FIELDS = 7;

function entryFields({ at, actor, uri, outcome, reason, via, count }: AuditEntry): Field[] {
  return [at, actor, uri, outcome, reason, via, String(count)];
}

// The casts claim what replaying the log checks.
function entryOf(fields: readonly (Uint8Array | null | undefined)[]): AuditEntry {
  const [at, actor, uri, outcome, reason, via, count] = fields;
  return {
    at: textOf(at) as Instant,
    actor: textOrNull(actor),
    uri: textOrNull(uri),
    outcome: textOf(outcome) as AuditEntry['outcome'],
    reason: textOrNull(reason) as AuditEntry['reason'],
    via: textOf(via) as AuditEntry['via'],
    count: Number(textOf(count)),
  };
}

function openRow(key: RecordKey, row: Row): AuditRow | null {
  const plain = key.open(rowPlace(row.row_index), sealedOf(row));
  const fields = plain && decodeFields(plain, ENTRY_FIELDS + 2);
  if (fields === null) return null;
  const [prevHash, hash] = fields.slice(ENTRY_FIELDS);
  return { ...entryOf(fields), prevHash: textOrNull(prevHash), hash: textOf(hash) };
}

// A count that does not open stands in no chain yet, so it goes into the log as what it is.
function openCount(key: RecordKey, row: Row): AuditEntry {
  const at = textOf(row.at);
  const plain = key.open(countPlace(at, bytesOf(row.attempt_index)), sealedOf(row));
  const fields = plain && decodeFields(plain, ENTRY_FIELDS);
  const entry = fields === null ? { ...UNREADABLE_ENTRY, at: at as Instant } : entryOf(fields);
  return { ...entry, count: numberOf(row.attempts) };
}

function rowPlace(index: unknown): Place {
  return ['audit', String(index)];
}

function countPlace(at: string, index: Uint8Array): Place {
  return ['audit_counts', at, index];
}

function minuteOf(at: Instant): string {
  return `${at.slice(0, 'YYYY-MM-DDTHH:MM'.length)}:00.000Z`;
}
