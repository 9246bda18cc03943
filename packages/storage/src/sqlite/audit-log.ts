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
  const drop = db.prepare('DELETE FROM audit_counts WHERE at < :minute');

  // The newest row is nearly always the one that was written last, and need not be opened again. Its tag tells
  // whether it is: a transaction may have been rolled back.
  let written: { readonly tag: Uint8Array; readonly hash: string } | null = null;

  function hashOf(row: Row): string {
    const { tag } = sealedOf(row);
    if (written !== null && tag.length > 0 && Buffer.compare(tag, written.tag) === 0) return written.hash;
    const opened = openRow(key, row);
    // A row that would be linked to nothing would make the log look as if it began there.
    if (opened === null) throw refusal('damaged', db.file);
    return opened.hash;
  }

  function link(entry: AuditEntry): void {
    const before = last.get();
    const hash = before === undefined ? null : hashOf(before);
    const index = before === undefined ? 0 : numberOf(before.row_index) + 1;
    const row = linkAudit(entry, hash);
    const plain = encodeFields([...entryFields(entry), row.prevHash, row.hash]);
    const sealed = key.seal(rowPlace(index), plain);
    insert.run({ row_index: index, ...sealCells(sealed) });
    written = { tag: sealed.tag, hash: row.hash };
  }

  return {
    add(entry) {
      const minute = minuteOf(entry.at);
      const due = ended.all({ minute });
      for (const row of due) link(openCount(key, row));
      if (due.length > 0) drop.run({ minute });
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
    },
    rows: (from, limit) => page.all({ from, limit }).map((row) => openRow(key, row) ?? UNREADABLE),
    counts: () => counted.all().map((row) => openCount(key, row)),
  };
}

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
    reason: textOrNull(reason),
    via: textOf(via),
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
