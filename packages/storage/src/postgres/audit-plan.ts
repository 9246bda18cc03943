import type { AuditEntry } from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import {
  auditRowAfter,
  countRow,
  minuteOf,
  type NewestAuditRow,
  NO_ROW,
  openAuditRow,
  openCount,
} from '../rows/audit-rows.ts';
import { type CellInput, numberOf, textOf } from '../rows/cells.ts';
import type { Command, Tables } from '../stores/tables.ts';
import type { Heads } from './load-heads.ts';

/** What a group of writes adds to the audit log. */
export interface AuditPlan {
  /** A row, after the counts of earlier minutes. What is given plans it; until then nothing is planned. */
  add(entry: AuditEntry): () => void;
  count(entry: AuditEntry): void;
  rows(): readonly Record<string, CellInput>[];
  counts(): readonly Record<string, CellInput>[];
  /** Removes the counts that became rows. To be run before the others. */
  drops(): readonly Command[];
}

interface Count {
  readonly entry: AuditEntry;
  /** The row to add, or null for one that is stored. */
  readonly cells: Record<string, CellInput> | null;
  readonly storedAs: CellInput;
}

/** The audit log's part of a plan. */
export function createAuditPlan(db: Tables, heads: Heads, key: RecordKey): AuditPlan {
  let newest: NewestAuditRow | null = null;
  let waiting: Count[] = heads.endedCounts.map((row) => ({
    entry: openCount(key, row),
    cells: null,
    storedAs: row.id ?? null,
  }));
  const rows: Record<string, CellInput>[] = [];
  const dropped: CellInput[] = [];

  function stored(): NewestAuditRow {
    const row = heads.newestAudit;
    if (row === undefined) return NO_ROW;
    const opened = openAuditRow(key, row);
    // A row that would be linked to nothing would make the log look as if it began there.
    if (opened === null) throw db.damaged();
    return { index: numberOf(row.row_index), hash: opened.hash };
  }

  return {
    add(entry) {
      const isEnded = ({ entry: { at } }: Count): boolean => at < minuteOf(entry.at);
      const ended = waiting.filter(isEnded).sort(byTime);
      let last = newest ?? stored();
      const added = [...ended.map((count) => count.entry), entry].map((each) => {
        const row = auditRowAfter(last, key, each);
        last = row.newest;
        return row.cells;
      });
      return () => {
        newest = last;
        rows.push(...added);
        dropped.push(...ended.filter(({ cells }) => cells === null).map(({ storedAs }) => storedAs));
        waiting = waiting.filter((count) => !isEnded(count));
      };
    },
    count(entry) {
      const { clear, sealed } = countRow(key, entry);
      const isSame = ({ cells }: Count): boolean =>
        cells !== null && cells.at === clear.at && Buffer.compare(bytes(cells), bytes(clear)) === 0;
      const same = waiting.find(isSame);
      const total = entry.count + (same?.entry.count ?? 0);
      const counted = {
        entry: { ...entry, count: total },
        cells: { ...(same?.cells ?? { ...clear, ...sealed() }), attempts: total },
        storedAs: null,
      };
      waiting = [...waiting.filter((count) => count !== same), counted];
    },
    rows: () => rows,
    counts: () => waiting.flatMap(({ cells }) => (cells === null ? [] : [cells])),
    drops: () =>
      dropped.length === 0
        ? []
        : [
            {
              sql: 'DELETE FROM audit_counts WHERE id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json) AS value)',
              cells: { ids: JSON.stringify(dropped.map(textOf)) },
            },
          ],
  };
}

function byTime({ entry: { at } }: Count, { entry: other }: Count): number {
  return at < other.at ? -1 : at > other.at ? 1 : 0;
}

function bytes(cells: Readonly<Record<string, CellInput>>): Uint8Array {
  return cells.attempt_index instanceof Uint8Array ? cells.attempt_index : new Uint8Array();
}
