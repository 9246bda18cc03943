import { type AuditEntry, type AuditRow, type Instant, linkAudit } from '@unsay/live-resources';
import { decodeFields, encodeFields, type Field } from '../envelope/fields.ts';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import { bytesOf, type CellInput, numberOf, type Row, textOf, textOrNull } from './cells.ts';
import { sealCells, sealedOf } from './seal-cells.ts';

// Rows of the log are sealed whole, hashes included: a hash of so little that is unknown could be tried against
// guesses.

/** The newest row of the log, as the next one is linked to it. */
export interface NewestAuditRow {
  readonly index: number;
  readonly hash: string | null;
}

/** Before every row. */
export const NO_ROW: NewestAuditRow = { index: -1, hash: null };

/** The cells of the row after the newest one, which it then is. */
export function auditRowAfter(
  newest: NewestAuditRow,
  key: RecordKey,
  entry: AuditEntry,
): { readonly newest: NewestAuditRow; readonly cells: Record<string, CellInput> } {
  const index = newest.index + 1;
  const row = linkAudit(entry, newest.hash);
  const plain = encodeFields([...entryFields(entry), row.prevHash, row.hash]);
  const cells = { row_index: index, ...sealCells(key.seal(rowPlace(index), plain)) };
  return { newest: { index, hash: row.hash }, cells };
}

/** The cells of a count that an attempt begins. */
export function countRow(key: RecordKey, entry: AuditEntry) {
  // What the log would refuse later must not wait in a count: it would stop every row after it.
  linkAudit(entry, null);
  const plain = encodeFields(entryFields({ ...entry, count: 1 }));
  const index = key.index('attempt', plain);
  const clear = { at: entry.at, attempt_index: index, attempts: entry.count };
  return { clear, sealed: () => sealCells(key.seal(countPlace(entry.at, index), plain)) };
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
/** What stands for a row that does not open. No row has such a hash, so replaying the log finds it broken. */
export const UNREADABLE: AuditRow = { ...UNREADABLE_ENTRY, prevHash: null, hash: '' };

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

/** The row of the log in a row, or null when it does not open. */
export function openAuditRow(key: RecordKey, row: Row): AuditRow | null {
  const plain = key.open(rowPlace(row.row_index), sealedOf(row));
  const fields = plain && decodeFields(plain, ENTRY_FIELDS + 2);
  if (fields === null) return null;
  const [prevHash, hash] = fields.slice(ENTRY_FIELDS);
  return { ...entryOf(fields), prevHash: textOrNull(prevHash), hash: textOf(hash) };
}

/** The count in a row. One that does not open stands in no chain yet, so it goes into the log as what it is. */
export function openCount(key: RecordKey, row: Row): AuditEntry {
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

/** The minute that an attempt is counted in. */
export function minuteOf(at: Instant): string {
  return `${at.slice(0, 'YYYY-MM-DDTHH:MM'.length)}:00.000Z`;
}
