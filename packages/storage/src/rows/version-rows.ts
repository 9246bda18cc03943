import type { FactVersion, Position, Seal } from '@unsay/live-resources';
import { decodeFields, encodeFields } from '../envelope/fields.ts';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import { bytesOf, type Cell, type CellInput, numberOf, type Row, textOf, textOrNull } from './cells.ts';
import { sealCells, sealedOf } from './seal-cells.ts';

/** What stands for a topic in clear, under the key of its subject. */
export function topicIndex(key: RecordKey, topic: string): Uint8Array {
  return key.index('topic', topic);
}

/** The cells of a version's row, by column. */
export function versionRow(
  key: RecordKey,
  index: Uint8Array,
  position: Position,
  version: FactVersion,
): Record<string, CellInput> {
  const clear = {
    position,
    subject: version.subject,
    topic_index: index,
    version: version.version,
    audience: version.audience,
    lane_ordinal: version.laneOrdinal,
    kind: version.kind,
    written_at: version.writtenAt,
    stale_after: version.staleAfter,
    prev_hash: version.prevHash,
    version_hash: version.versionHash,
  };
  const sealed = key.seal(placeOf(clear), encodeFields(contentFields(version)));
  return { ...clear, ...sealCells(sealed) };
}

/** The version of a row, or null when its bytes are not what was sealed in this place. */
export function versionOf(key: RecordKey, row: Row): FactVersion | null {
  const plain = key.open(placeOf(row), sealedOf(row));
  const content = plain && contentOf(plain);
  return content && { ...clearPart(row), ...content, ...hashesOf(row) };
}

/**
 * What is known in clear of a version that does not open. Its salts have no length, so that no hash can be
 * made of it and replaying its chain finds it broken.
 */
export function unreadableVersion(row: Row): FactVersion {
  const none = new Uint8Array();
  const content: Content = {
    topic: '' as FactVersion['topic'],
    uri: '' as FactVersion['uri'],
    value: null,
    blob: null,
    authorId: '',
    authorLabel: '',
    attestation: null,
    salts: { uri: none, value: null, author: none, label: none, attestation: null, blob: null },
  };
  return { ...clearPart(row), ...content, ...hashesOf(row) };
}

/** How a row is sealed, null where it is not. */
export function sealOf(row: Row, by: { readonly provider: string; readonly keyId: string }): Seal | null {
  const { nonce, tag } = sealedOf(row);
  if (nonce.length === 0) return null;
  return { provider: by.provider, keyId: by.keyId, nonce: hex(nonce), tag: hex(tag) };
}

type Content = Pick<
  FactVersion,
  'topic' | 'uri' | 'value' | 'blob' | 'authorId' | 'authorLabel' | 'attestation' | 'salts'
>;

// Every clear column but one is bound, not only those that name the place: a review date that was moved makes
// the record unreadable at once, and not only when its chain is replayed. The position is not: it counts what no
// reader may see, and readers are given the tag.
function placeOf(cells: Readonly<Record<string, Cell>>): Place {
  return [
    'versions',
    textOf(cells.subject),
    bytesOf(cells.topic_index),
    textOf(cells.version),
    textOf(cells.audience),
    textOf(cells.lane_ordinal),
    textOf(cells.kind),
    textOf(cells.written_at),
    textOrNull(cells.stale_after),
    textOrNull(cells.prev_hash),
    textOf(cells.version_hash),
  ];
}

const CONTENT_FIELDS = 14;

function contentFields({ salts, blob, ...version }: FactVersion): (string | Uint8Array | null)[] {
  return [
    version.uri,
    version.topic,
    version.value,
    version.authorId,
    version.authorLabel,
    version.attestation,
    blob?.mediaType ?? null,
    blob?.bytes ?? null,
    salts.uri,
    salts.value,
    salts.author,
    salts.label,
    salts.attestation,
    salts.blob,
  ];
}

// The casts claim what replaying the chain checks.
function contentOf(plain: Uint8Array): Content | null {
  const fields = decodeFields(plain, CONTENT_FIELDS);
  if (fields === null) return null;
  const [uri, topic, value, authorId, authorLabel, attestation, mediaType, bytes, ...salts] = fields;
  const [uriSalt, valueSalt, authorSalt, labelSalt, attestationSalt, blobSalt] = salts;
  return {
    topic: textOf(topic) as FactVersion['topic'],
    uri: textOf(uri) as FactVersion['uri'],
    value: textOrNull(value),
    blob: mediaType ? { mediaType: textOf(mediaType), bytes: bytesOf(bytes) } : null,
    authorId: textOf(authorId),
    authorLabel: textOf(authorLabel),
    attestation: textOrNull(attestation),
    salts: {
      uri: bytesOf(uriSalt),
      value: valueSalt ?? null,
      author: bytesOf(authorSalt),
      label: bytesOf(labelSalt),
      attestation: attestationSalt ?? null,
      blob: blobSalt ?? null,
    },
  };
}

function clearPart(row: Row) {
  return {
    subject: textOf(row.subject) as FactVersion['subject'],
    audience: textOf(row.audience) as FactVersion['audience'],
    version: numberOf(row.version),
    kind: textOf(row.kind) as FactVersion['kind'],
    laneOrdinal: numberOf(row.lane_ordinal),
    writtenAt: textOf(row.written_at) as FactVersion['writtenAt'],
    staleAfter: textOrNull(row.stale_after) as FactVersion['staleAfter'],
  };
}

function hashesOf(row: Row) {
  return {
    prevHash: textOrNull(row.prev_hash) as FactVersion['prevHash'],
    versionHash: textOf(row.version_hash) as FactVersion['versionHash'],
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
