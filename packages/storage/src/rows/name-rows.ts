import type { FactUri, Topic } from '@unsay/live-resources';
import { decodeFields, encodeFields } from '../envelope/fields.ts';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import type { SealedBytes } from '../envelope/sealed-bytes.ts';
import { bytesOf, type Row, textOf } from './cells.ts';
import { sealedOf } from './seal-cells.ts';
import type { NamedFact } from './subject-names.ts';
import { topicIndex, versionOf } from './version-rows.ts';

/** How a fact is named. */
export interface Name {
  readonly uri: FactUri;
  readonly topic: Topic;
}

/** Seals a fact's name for its row. */
export function sealName(key: RecordKey, { subject, index, audience, uri, topic }: NamedFact): SealedBytes {
  return key.seal(placeOf(subject, index, audience), encodeFields([uri, topic]));
}

/** The name in a fact's row, or null when it does not open. */
export function openName(key: RecordKey, row: Row): Name | null {
  const place = placeOf(textOf(row.subject), bytesOf(row.topic_index), textOf(row.audience));
  const plain = key.open(place, sealedOf(row));
  const [uri, topic] = (plain && decodeFields(plain, 2)) ?? [];
  return uri && topic ? { uri: textOf(uri) as FactUri, topic: textOf(topic) as Topic } : null;
}

/** The name as the rows of a fact's versions have it, or null: one that was damaged in the fact's own is not lost. */
export function nameInVersions(key: RecordKey, index: Uint8Array, versions: Iterable<Row>): Name | null {
  for (const row of versions) {
    const opened = versionOf(key, row);
    if (opened !== null && Buffer.compare(topicIndex(key, opened.topic), index) === 0) return opened;
  }
  return null;
}

/** The fact of a row under its name. */
export function namedFact(row: Row, { uri, topic }: Name): NamedFact {
  return {
    subject: textOf(row.subject) as NamedFact['subject'],
    topic,
    uri,
    audience: textOf(row.audience) as NamedFact['audience'],
    index: bytesOf(row.topic_index),
  };
}

function placeOf(subject: string, index: Uint8Array, audience: string): Place {
  return ['facts', subject, index, audience];
}
