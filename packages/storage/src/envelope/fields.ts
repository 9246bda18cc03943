import { utf8 } from '../utf8.ts';

/** A part of a record. A text stands for its UTF-8 bytes; null is absent, which is not the same as empty. */
export type Field = string | Uint8Array | null;

const ABSENT = 0;
const PRESENT = 1;
const LENGTH_BYTES = 4;

/**
 * Joins fields so that no two sequences of fields give the same bytes: an absent field is the byte 0, any
 * other the byte 1, its length as 32 bits (big endian) and its bytes. See docs/spec/envelope.md.
 */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  const parts = fields.map((field) => (typeof field === 'string' ? utf8(field) : field));
  const joined = Buffer.allocUnsafe(parts.reduce((sum, bytes) => sum + sizeOf(bytes), 0));
  let at = 0;
  for (const bytes of parts) {
    joined[at] = bytes === null ? ABSENT : PRESENT;
    if (bytes !== null) {
      joined.writeUInt32BE(bytes.length, at + 1);
      joined.set(bytes, at + 1 + LENGTH_BYTES);
    }
    at += sizeOf(bytes);
  }
  return joined;
}

function sizeOf(bytes: Uint8Array | null): number {
  return bytes === null ? 1 : 1 + LENGTH_BYTES + bytes.length;
}

/** The fields that were joined, each in memory of its own; null when the bytes are not exactly `count` fields. */
export function decodeFields(bytes: Uint8Array, count: number): (Uint8Array | null)[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: (Uint8Array | null)[] = [];
  let at = 0;
  while (at < bytes.length && fields.length < count) {
    const mark = bytes[at];
    at += 1;
    if (mark === ABSENT) {
      fields.push(null);
      continue;
    }
    if (mark !== PRESENT || at + LENGTH_BYTES > bytes.length) return null;
    const end = at + LENGTH_BYTES + view.getUint32(at);
    if (end > bytes.length) return null;
    fields.push(new Uint8Array(bytes.subarray(at + LENGTH_BYTES, end)));
    at = end;
  }
  return at === bytes.length && fields.length === count ? fields : null;
}
