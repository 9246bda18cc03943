import { type DerivedText, type Sentence, stands } from '@unsay/live-resources/ledger';
import { decodeFields, encodeFields } from '../envelope/fields.ts';
import type { Place, RecordKey } from '../envelope/record-key.ts';
import { bytesOf, type Cell, type CellInput, numberOf, type Row, textOf, textOrNull } from './cells.ts';
import { sealCells, sealedOf } from './seal-cells.ts';
import { topicIndex } from './version-rows.ts';

/** The cells of a sentence's row, by column. */
export function sentenceRow(
  key: RecordKey,
  listenerIndex: Uint8Array,
  sentence: Sentence,
): Record<string, CellInput> {
  const clear = {
    subject: sentence.subject,
    listener_index: listenerIndex,
    topic_index: topicIndex(key, sentence.topic),
    version: sentence.version,
    // No version has this number.
    takes_back: sentence.takesBack ?? 0,
    text_index: sentence.text === null ? new Uint8Array() : textIndex(key, sentence.text),
    audience: sentence.audience,
    standing: stands(sentence) ? 1 : 0,
  };
  const content = encodeFields([
    sentence.listener,
    sentence.topic,
    sentence.text,
    sentence.state,
    sentence.wordsHeard === null ? null : String(sentence.wordsHeard),
    sentence.servedAt,
    sentence.isRepeated ? '' : null,
    sentence.reportedAt,
    sentence.takenBackAt,
  ]);
  return { ...clear, ...sealCells(key.seal(placeOf(clear), content)) };
}

const SENTENCE_FIELDS = 9;

/** The sentence of a row, or null when its bytes are not what was sealed in this place. */
export function sentenceOf(key: RecordKey, row: Row): Sentence | null {
  const plain = key.open(placeOf(row), sealedOf(row));
  const fields = plain && decodeFields(plain, SENTENCE_FIELDS);
  if (fields === null) return null;
  const [listener, topic, text, state, wordsHeard, servedAt, isRepeated, reportedAt, takenBackAt] =
    fields.map(textOrNull);
  const takesBack = numberOf(row.takes_back);
  return {
    listener: listener as Sentence['listener'],
    subject: textOf(row.subject) as Sentence['subject'],
    topic: topic as Sentence['topic'],
    audience: textOf(row.audience) as Sentence['audience'],
    version: numberOf(row.version),
    takesBack: takesBack === 0 ? null : takesBack,
    text: text as Sentence['text'],
    state: state as Sentence['state'],
    wordsHeard: wordsHeard === null ? null : Number(wordsHeard),
    servedAt: servedAt as Sentence['servedAt'],
    isRepeated: isRepeated !== null,
    reportedAt: reportedAt as Sentence['reportedAt'],
    takenBackAt: takenBackAt as Sentence['takenBackAt'],
  };
}

/** What stands for a derived text in clear, under the key of its subject. */
export function textIndex(key: RecordKey, id: string): Uint8Array {
  return key.index('text', id);
}

/** The cells of a text's row, by column. */
export function textRow(key: RecordKey, text: DerivedText): Record<string, CellInput> {
  const { subject, audience, id, words, citations } = text;
  const clear = { subject, audience, text_index: textIndex(key, id) };
  const content = encodeFields([id, words, JSON.stringify(citations)]);
  return { ...clear, ...sealCells(key.seal(textPlaceOf(clear), content)) };
}

/** The text of a row, or null when its bytes are not what was sealed in this place. */
export function textOfRow(key: RecordKey, row: Row): DerivedText | null {
  const plain = key.open(textPlaceOf(row), sealedOf(row));
  const fields = plain && decodeFields(plain, 3);
  if (fields === null) return null;
  const [id, words, citations] = fields.map(textOf);
  return {
    subject: textOf(row.subject) as DerivedText['subject'],
    audience: textOf(row.audience) as DerivedText['audience'],
    id: id as DerivedText['id'],
    words: words ?? '',
    citations: JSON.parse(citations ?? '') as DerivedText['citations'],
  };
}

// Every clear column is bound: none can be changed, and no row be moved, without its being noticed.
function placeOf(cells: Readonly<Record<string, Cell>>): Place {
  return [
    'sentences',
    textOf(cells.subject),
    bytesOf(cells.listener_index),
    bytesOf(cells.topic_index),
    textOf(cells.version),
    textOf(cells.takes_back),
    bytesOf(cells.text_index),
    textOf(cells.audience),
    textOf(cells.standing),
  ];
}

function textPlaceOf(cells: Readonly<Record<string, Cell>>): Place {
  return ['texts', textOf(cells.subject), bytesOf(cells.text_index), textOf(cells.audience)];
}
