import type { SQLInputValue } from 'node:sqlite';
import type { FactVersion, Position } from '@unsay/live-resources';
import { bytesOf, bytesOrNull, numberOf, textOf, textOrNull, utf8, utf8OrNull } from './cells.ts';
import type { Row } from './database.ts';

/** The cells of a version's row, by column. */
export function versionRow(position: Position, version: FactVersion): Record<string, SQLInputValue> {
  const { salts, blob } = version;
  return {
    position,
    uri: version.uri,
    version: version.version,
    subject: version.subject,
    topic: version.topic,
    audience: version.audience,
    lane_ordinal: version.laneOrdinal,
    kind: version.kind,
    written_at: version.writtenAt,
    stale_after: version.staleAfter,
    prev_hash: version.prevHash,
    version_hash: version.versionHash,
    uri_salt: salts.uri,
    value_salt: salts.value,
    author_salt: salts.author,
    label_salt: salts.label,
    attestation_salt: salts.attestation,
    blob_salt: salts.blob,
    author_id: utf8(version.authorId),
    author_label: utf8(version.authorLabel),
    attestation: utf8OrNull(version.attestation),
    value: utf8OrNull(version.value),
    blob_media_type: blob === null ? null : utf8(blob.mediaType),
    blob_bytes: blob === null ? null : blob.bytes,
  };
}

/**
 * The version of a row, as it stands there. The casts claim what replaying the chain checks: whether the
 * row is what was written is decided by its hash and by nothing here.
 */
export function versionOf(row: Row): FactVersion {
  const mediaType = textOrNull(row.blob_media_type);
  return {
    subject: textOf(row.subject) as FactVersion['subject'],
    topic: textOf(row.topic) as FactVersion['topic'],
    uri: textOf(row.uri) as FactVersion['uri'],
    audience: textOf(row.audience) as FactVersion['audience'],
    version: numberOf(row.version),
    kind: textOf(row.kind) as FactVersion['kind'],
    laneOrdinal: numberOf(row.lane_ordinal),
    value: textOrNull(row.value),
    blob: mediaType === null ? null : { mediaType, bytes: bytesOf(row.blob_bytes) },
    authorId: textOf(row.author_id),
    authorLabel: textOf(row.author_label),
    attestation: textOrNull(row.attestation),
    writtenAt: textOf(row.written_at) as FactVersion['writtenAt'],
    staleAfter: textOrNull(row.stale_after) as FactVersion['staleAfter'],
    prevHash: textOrNull(row.prev_hash) as FactVersion['prevHash'],
    salts: {
      uri: bytesOf(row.uri_salt),
      value: bytesOrNull(row.value_salt),
      author: bytesOf(row.author_salt),
      label: bytesOf(row.label_salt),
      attestation: bytesOrNull(row.attestation_salt),
      blob: bytesOrNull(row.blob_salt),
    },
    versionHash: textOf(row.version_hash) as FactVersion['versionHash'],
  };
}
