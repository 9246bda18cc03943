import type { Audience, FactUri, Topic } from '@unsay/live-resources';
import { decodeFields, encodeFields } from '../envelope/fields.ts';
import { createRecentlyUsed } from '../envelope/recently-used.ts';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import type { SealedBytes } from '../envelope/sealed-bytes.ts';
import { bytesOf, textOf } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';
import { sealedOf } from './seal-cells.ts';
import { createSubjectNames, type NamedFact, type SubjectNames } from './subject-names.ts';
import { topicIndex, versionOf } from './version-rows.ts';

/** The names of facts. They are sealed, so each subject's are opened once and kept in memory. */
export interface Directory {
  of(subject: string, key: RecordKey): SubjectNames;
  /** The name of the fact in a row. Nothing is kept of it: the row may not be committed yet. */
  nameOf(key: RecordKey, fact: Row): Name | null;
  /** Says that a fact was made; to be called once that is committed. */
  added(fact: NamedFact): void;
}

// A few hundred bytes each.
const MOST_NAMES = 200_000;

/** The directory of a database. Callers give the transaction. */
export function createDirectory(db: SqliteDatabase): Directory {
  const facts = db.prepare('SELECT * FROM facts WHERE subject = :subject');
  const versions = db.prepare('SELECT * FROM versions WHERE subject = :subject AND topic_index = :index');
  const kept = createRecentlyUsed<SubjectNames>(MOST_NAMES, (names) => names.size + 1);

  // A name is in every version too, so one that was damaged is not lost.
  function nameOf(key: RecordKey, row: Row): Name | null {
    const index = bytesOf(row.topic_index);
    const own = openName(key, row);
    if (own !== null) return own;
    for (const version of versions.all({ subject: textOf(row.subject), index })) {
      const opened = versionOf(key, version);
      if (opened !== null && Buffer.compare(topicIndex(key, opened.topic), index) === 0) return opened;
    }
    return null;
  }

  return {
    of(subject, key) {
      const known = kept.get(subject);
      if (known !== undefined) return known;
      const names = createSubjectNames();
      for (const row of facts.all({ subject })) {
        const name = nameOf(key, row);
        if (name === null) names.addUnknown();
        else {
          const audience = textOf(row.audience) as Audience;
          const { uri, topic } = name;
          names.add({
            subject: subject as NamedFact['subject'],
            topic,
            uri,
            audience,
            index: bytesOf(row.topic_index),
          });
        }
      }
      kept.set(subject, names);
      return names;
    },
    nameOf: (key, fact) =>
      kept.get(textOf(fact.subject))?.byIndex(bytesOf(fact.topic_index)) ?? nameOf(key, fact),
    added(fact) {
      const names = kept.get(fact.subject);
      if (names === undefined) return;
      names.add(fact);
      kept.set(fact.subject, names);
    },
  };
}

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

function placeOf(subject: string, index: Uint8Array, audience: string): Place {
  return ['facts', subject, index, audience];
}
