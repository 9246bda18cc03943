import { decodeFields, encodeFields } from '../envelope/fields.ts';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import type { Tables } from '../stores/tables.ts';
import { utf8 } from '../utf8.ts';
import { type Row, textOf } from './cells.ts';
import { sealCells, sealedOf } from './seal-cells.ts';

/** The cells of something that is sealed whole, as JSON. */
export function sealJson(key: RecordKey, place: Place, value: unknown): ReturnType<typeof sealCells> {
  return sealCells(key.seal(place, encodeFields([utf8(JSON.stringify(value))])));
}

/**
 * What {@link sealJson} sealed in this place.
 *
 * @throws StorageError `damaged` for bytes that are not that.
 */
export function openJson(key: RecordKey, place: Place, row: Row, db: Pick<Tables, 'damaged'>): unknown {
  const plain = key.open(place, sealedOf(row));
  const [content] = (plain && decodeFields(plain, 1)) ?? [];
  if (!content) throw db.damaged();
  return JSON.parse(textOf(content));
}
