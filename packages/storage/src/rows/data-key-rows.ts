import type { Instant } from '@unsay/live-resources';
import { bytesOf, type CellInput, type Row, textOf } from './cells.ts';

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

export const INSERT_DATA_KEY = `
  INSERT INTO data_keys (subject, id, provider, wrapping_key_id, wrapped, commitment, created_at)
  VALUES (:subject, :id, :provider, :wrapping_key_id, :wrapped, :commitment, :created_at)`;

/** The cells of a data key, by column. */
export function dataKeyRow(key: StoredDataKey, createdAt: Instant): Record<string, CellInput> {
  const { subject, id, provider, wrappingKeyId, wrapped, commitment } = key;
  return {
    subject,
    id,
    provider,
    wrapping_key_id: wrappingKeyId,
    wrapped,
    commitment,
    created_at: createdAt,
  };
}

/** The data key of a row. */
export function dataKeyOf(row: Row): StoredDataKey {
  return {
    subject: textOf(row.subject),
    id: textOf(row.id),
    provider: textOf(row.provider),
    wrappingKeyId: textOf(row.wrapping_key_id),
    wrapped: bytesOf(row.wrapped),
    commitment: bytesOf(row.commitment),
  };
}
