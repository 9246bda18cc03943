import type { FactVersion, RequestKey } from '@unsay/live-resources';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import { utf8 } from '../utf8.ts';
import { bytesOf, type CellInput, numberOf, type Row, textOf } from './cells.ts';
import { sealCells, sealedOf } from './seal-cells.ts';

// Neither a sender's key nor a short body can be guessed from a row: the id stands there by its index, and the hash
// of the body is sealed.

/** A request that was answered, as it is stored. */
export interface StoredAnswer {
  readonly requestHash: string;
  readonly subject: string;
  /** Stands for the topic. */
  readonly index: Uint8Array;
  readonly version: number;
}

/** What stands for the id of a request in clear, under the store's own key. */
export function requestIndex(key: RecordKey, id: string): Uint8Array {
  return key.index('request', id);
}

/** The cells of an answered request, by column. */
export function answerRow(
  key: RecordKey,
  { id, requestHash, expiresAt }: RequestKey,
  { subject, version }: FactVersion,
  index: Uint8Array,
): Record<string, CellInput> {
  const clear = {
    id_index: requestIndex(key, id),
    subject,
    topic_index: index,
    version,
    expires_at: expiresAt,
  };
  return { ...clear, ...sealCells(key.seal(placeOf(clear), utf8(requestHash))) };
}

/** The answered request of a row, or null when its bytes are not what was sealed in this place. */
export function answerOf(key: RecordKey, row: Row): StoredAnswer | null {
  const requestHash = key.open(placeOf(row), sealedOf(row));
  if (requestHash === null) return null;
  return {
    requestHash: textOf(requestHash),
    subject: textOf(row.subject),
    index: bytesOf(row.topic_index),
    version: numberOf(row.version),
  };
}

function placeOf(cells: Row): Place {
  return [
    'answered_requests',
    bytesOf(cells.id_index),
    textOf(cells.subject),
    bytesOf(cells.topic_index),
    textOf(cells.version),
    textOf(cells.expires_at),
  ];
}
