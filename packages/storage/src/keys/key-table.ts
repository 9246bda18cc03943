import type { Instant } from '@unsay/live-resources';
import { numberOf, type Row, textOf } from '../rows/cells.ts';
import {
  dataKeyOf,
  dataKeyRow,
  INSERT_DATA_KEY,
  STORE_ITSELF,
  type StoredDataKey,
} from '../rows/data-key-rows.ts';
import type { Tables } from '../stores/tables.ts';
import { utf8 } from '../utf8.ts';

/** The data keys in a store, and the random name that their records are bound to besides. */
export interface KeyTable {
  /**
   * The key of a subject, or null when nothing was ever sealed for it.
   *
   * @throws StorageError `damaged` when something was.
   */
  find(subject: string): Promise<StoredDataKey | null>;
  /** The random name of this store, or null before it has one. */
  storeId(): Promise<string | null>;
  /** Names the store and gives it its own key, both durably. Nothing, when another process was quicker. */
  begin(storeId: string, key: StoredDataKey, at: Instant): Promise<void>;
}

const STORE_ID = 'store_id';
const OF_SUBJECT = 'EXISTS (SELECT 1 FROM facts WHERE subject = :subject)';
const OF_STORE = `EXISTS (SELECT 1 FROM audit) OR EXISTS (SELECT 1 FROM audit_counts)
  OR EXISTS (SELECT 1 FROM answered_requests) OR EXISTS (SELECT 1 FROM facts)`;

// One statement, so that nothing comes between the look at the key and the look at what it sealed.
function found(hasRecords: string): string {
  return `SELECT k.*, CASE WHEN ${hasRecords} THEN 1 ELSE 0 END AS has_records
    FROM (SELECT 1 AS one) AS always LEFT JOIN data_keys k ON k.subject = :subject`;
}

/** The data keys of a store. */
export function createKeyTable(db: Tables): KeyTable {
  return {
    async find(subject) {
      const sql = found(subject === STORE_ITSELF ? OF_STORE : OF_SUBJECT);
      const [row = {}]: Row[] = await db.select(sql, { subject });
      if (row.id !== null) return dataKeyOf(row);
      // Records without a key: it was taken away. A new one would hide that.
      if (numberOf(row.has_records) === 1) throw db.damaged();
      return null;
    },
    async storeId() {
      const [row] = await db.select('SELECT value FROM meta WHERE key = :key', { key: STORE_ID });
      return row === undefined ? null : textOf(row.value);
    },
    async begin(storeId, key, at) {
      await db.run(
        {
          sql: 'INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING',
          cells: { key: STORE_ID, value: utf8(storeId) },
        },
        { sql: `${INSERT_DATA_KEY} ON CONFLICT (subject) DO NOTHING`, cells: dataKeyRow(key, at) },
      );
    },
  };
}
