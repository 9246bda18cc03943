import type { Lane } from '@unsay/live-resources';
import { bytesOf, type CellInput, numberOf, type Row, textOf, textOrNull } from '../rows/cells.ts';
import type { Command } from '../stores/tables.ts';
import type { Transaction } from './database.ts';
import { jsonRows } from './json-rows.ts';
import { selectTogether } from './together.ts';

/** What a write must know of what is there. */
export interface WriteNeeds {
  /** The fact that it changes, by what stands for its topic. */
  readonly fact: { readonly subject: string; readonly index: Uint8Array } | null;
  readonly lane: Lane | null;
  readonly nonce: string | null;
  /** What stands for the id of a request. */
  readonly request: Uint8Array | null;
  /** A subject whose data key is new. */
  readonly newKeyOf: string | null;
  /** The minute whose earlier counts become rows of the audit log before its next row. */
  readonly minute: string | null;
}

/** What is there, at a moment when no other writer can change it. */
export interface Heads {
  readonly position: number;
  readonly facts: readonly Row[];
  readonly lanes: readonly Row[];
  readonly nonces: ReadonlySet<string>;
  /** Nonces that ended at this time or before cannot be told from new ones any more. */
  readonly noncesForgottenUntil: string;
  /** When the nonce that ended first did, or null when there is none. */
  readonly oldestNonce: string | null;
  readonly requests: readonly Uint8Array[];
  readonly savedKeys: ReadonlyMap<string, string>;
  readonly newestAudit: Row | undefined;
  /** Counts of earlier minutes, oldest first. */
  readonly endedCounts: readonly Row[];
}

/**
 * Takes the lock that orders all writers, and reads what a group of writes must know. The lock is kept until the end
 * of the transaction, and PostgreSQL shows a transaction to others before it gives its locks up: who holds it sees
 * every earlier position, and whoever sees a position sees all before it.
 */
export async function loadHeads(within: Transaction, needs: readonly WriteNeeds[]): Promise<Heads> {
  const [last] = await within.select('SELECT position FROM journal_head FOR UPDATE');
  const wanted = <T>(of: (need: WriteNeeds) => T | null): T[] =>
    needs.map(of).filter((need) => need !== null);
  const rowsOf = (table: string, columns: string, rows: readonly Readonly<Record<string, CellInput>>[]) =>
    rows.length === 0 ? NO_ROWS : { sql: wantedRows(table, columns), cells: { wanted: jsonRows(rows) } };
  const minute = wanted((need) => need.minute)
    .sort()
    .at(-1);
  const nonces = wanted(({ nonce }) => (nonce === null ? null : { id: nonce }));
  // In one statement, since the lock is held meanwhile.
  const found = await selectTogether(within, {
    facts: rowsOf(
      'facts',
      'subject text, topic_index bytea',
      wanted(({ fact }) => fact && { subject: fact.subject, topic_index: fact.index }),
    ),
    lanes: rowsOf(
      'lanes',
      'subject text, audience text',
      wanted(({ lane }) => lane && { subject: lane.subject, audience: lane.audience }),
    ),
    nonces: rowsOf('nonces', 'id text', nonces),
    times: nonces.length === 0 ? NO_ROWS : { sql: NONCE_TIMES, cells: {} },
    requests: rowsOf(
      'answered_requests',
      'id_index bytea',
      wanted(({ request }) => request && { id_index: request }),
    ),
    keys: rowsOf(
      'data_keys',
      'subject text',
      wanted(({ newKeyOf }) => (newKeyOf === null ? null : { subject: newKeyOf })),
    ),
    newest: minute === undefined ? NO_ROWS : { sql: NEWEST_AUDIT, cells: {} },
    ended: minute === undefined ? NO_ROWS : { sql: ENDED_COUNTS, cells: { minute } },
  });
  const [times] = found.times;
  return {
    position: numberOf(last?.position),
    facts: found.facts,
    lanes: found.lanes,
    nonces: new Set(found.nonces.map(({ id }) => textOf(id))),
    noncesForgottenUntil: textOf(times?.forgotten),
    oldestNonce: textOrNull(times?.oldest),
    requests: found.requests.map(({ id_index }) => bytesOf(id_index)),
    savedKeys: new Map(found.keys.map(({ subject, id }) => [textOf(subject), textOf(id)])),
    newestAudit: found.newest[0],
    endedCounts: found.ended,
  };
}

const NO_ROWS: Command = { sql: 'SELECT 1 WHERE false', cells: {} };
const NEWEST_AUDIT = 'SELECT * FROM audit ORDER BY row_index DESC LIMIT 1';
const ENDED_COUNTS = 'SELECT * FROM audit_counts WHERE at < :minute ORDER BY at, id';
const NONCE_TIMES = `
  SELECT (SELECT value FROM meta WHERE key = 'nonces_forgotten_until') AS forgotten,
    (SELECT min(expires_at) FROM nonces) AS oldest`;

/** The rows of a table that have the wanted values in some columns. */
function wantedRows(table: string, columns: string): string {
  const names = columns.split(', ').map((column) => column.split(' ')[0]);
  return `SELECT t.* FROM json_to_recordset(:wanted::json) AS w (${columns}) JOIN ${table} t USING (${names.join(', ')})`;
}
