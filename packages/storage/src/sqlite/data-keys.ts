import type { Instant } from '@unsay/live-resources';
import { bytesOf, textOf } from './cells.ts';
import type { SqliteDatabase } from './database.ts';

/** A data key as it is stored: wrapped, and worth nothing without its provider. */
export interface StoredDataKey {
  readonly subject: string;
  readonly id: string;
  readonly provider: string;
  /** Which key of the provider wrapped it. */
  readonly wrappingKeyId: string;
  readonly wrapped: Uint8Array;
  /** Ties the row to one data key, whatever the provider's wrapping ties itself to. */
  readonly commitment: Uint8Array;
}

/** The row that belongs to no subject: its key seals what the store itself keeps. No subject has this name. */
export const STORE_ITSELF = '';

/** The table of data keys. Callers give the transaction. */
export interface DataKeys {
  find(subject: string): StoredDataKey | null;
  insert(key: StoredDataKey, createdAt: Instant): void;
  /** Whether records were sealed for this subject, key or no key. */
  hasRecords(subject: string): boolean;
}

/** The data keys in a database. */
export function createDataKeys(db: SqliteDatabase): DataKeys {
  const select = db.prepare('SELECT * FROM data_keys WHERE subject = :subject');
  const insert = db.prepare(`
    INSERT INTO data_keys (subject, id, provider, wrapping_key_id, wrapped, commitment, created_at)
    VALUES (:subject, :id, :provider, :wrapping_key_id, :wrapped, :commitment, :created_at)`);
  const ofSubject = db.prepare('SELECT 1 FROM facts WHERE subject = :subject LIMIT 1');
  const ofStore = db.prepare(`
    SELECT 1 WHERE EXISTS (SELECT 1 FROM audit) OR EXISTS (SELECT 1 FROM audit_counts)
      OR EXISTS (SELECT 1 FROM answered_requests) OR EXISTS (SELECT 1 FROM facts)`);
  return {
    find(subject) {
      const row = select.get({ subject });
      if (row === undefined) return null;
      return {
        subject,
        id: textOf(row.id),
        provider: textOf(row.provider),
        wrappingKeyId: textOf(row.wrapping_key_id),
        wrapped: bytesOf(row.wrapped),
        commitment: bytesOf(row.commitment),
      };
    },
    insert({ subject, id, provider, wrappingKeyId, wrapped, commitment }, createdAt) {
      const cells = { subject, id, provider, wrapped, commitment };
      insert.run({ ...cells, wrapping_key_id: wrappingKeyId, created_at: createdAt });
    },
    hasRecords: (subject) =>
      (subject === STORE_ITSELF ? ofStore.get() : ofSubject.get({ subject })) !== undefined,
  };
}
