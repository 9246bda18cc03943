import type { LaneFilter } from '@unsay/live-resources';
import type { FactsOf, LedgerStore, ListenerId, Sentence } from '@unsay/live-resources/ledger';
import type { RecordKey } from '../envelope/record-key.ts';
import { bytesOf, textOf } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';
import type { KeyRing } from './key-ring.ts';
import { AUDIENCES, filterCells, SUBJECTS } from './lane-filter.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from './seal-cells.ts';
import { sentenceOf, sentenceRow, textIndex, textOfRow, textRow } from './sentence-rows.ts';
import { refusal } from './sqlite-errors.ts';
import { topicIndex } from './version-rows.ts';

const IN_LANES = `(:subjects IS NULL OR subject IN ${SUBJECTS}) AND audience IN ${AUDIENCES}`;

/**
 * The ledger kept in a database, beside the facts that it is about. What identifies is sealed with the key of the
 * subject, so that it goes when that does; a listener may hear of many subjects, and its index is under the
 * store's own key.
 */
export function createSqliteLedgerStore(db: SqliteDatabase, keys: KeyRing): LedgerStore {
  const ofFact = db.prepare(`
    SELECT * FROM sentences
    WHERE subject = :subject AND listener_index = :listener_index AND topic_index = :topic_index`);
  const put = db.prepare(`
    INSERT INTO sentences (subject, listener_index, topic_index, version, takes_back, text_index, audience,
      standing, ${SEAL_COLUMNS})
    VALUES (:subject, :listener_index, :topic_index, :version, :takes_back, :text_index, :audience,
      :standing, ${SEAL_PARAMETERS})
    ON CONFLICT (subject, listener_index, topic_index, version, takes_back, text_index) DO UPDATE SET
      audience = excluded.audience, standing = excluded.standing, key_id = excluded.key_id,
      nonce = excluded.nonce, tag = excluded.tag, commitment = excluded.commitment,
      ciphertext = excluded.ciphertext`);
  const standing = db.prepare(`
    SELECT * FROM sentences WHERE listener_index = :listener_index AND standing = 1 AND ${IN_LANES}`);
  const listeners = db.prepare(`
    SELECT DISTINCT listener_index FROM sentences WHERE standing = 1 AND ${IN_LANES}`);
  // Whose index it is stands sealed in each of its rows, so one of them has to be opened.
  const oneOf = db.prepare(`
    SELECT * FROM sentences WHERE listener_index = :listener_index AND standing = 1 AND ${IN_LANES} LIMIT 1`);
  const putText = db.prepare(`
    INSERT INTO texts (subject, text_index, audience, ${SEAL_COLUMNS})
    VALUES (:subject, :text_index, :audience, ${SEAL_PARAMETERS})
    ON CONFLICT (subject, text_index) DO NOTHING`);
  const text = db.prepare('SELECT * FROM texts WHERE subject = :subject AND text_index = :text_index');

  const indexOf = (listener: ListenerId): Uint8Array => keys.store.index('listener', listener);
  const open = (key: RecordKey, row: Row): Sentence => {
    const sentence = sentenceOf(key, row);
    if (sentence === null) throw refusal('damaged', db.file);
    return sentence;
  };

  function about(key: RecordKey, listener: ListenerId, { subject, topics }: FactsOf): Sentence[] {
    const listener_index = indexOf(listener);
    return topics.flatMap((topic) =>
      ofFact
        .all({ subject, listener_index, topic_index: topicIndex(key, topic) })
        .map((row) => open(key, row)),
    );
  }

  async function keyOf(subject: string): Promise<RecordKey> {
    const key = await keys.of(subject);
    if (key === null) throw new Error('a listener was given a fact of a subject that has none');
    return key;
  }

  async function openRows(rows: readonly Row[]): Promise<Sentence[]> {
    return Promise.all(rows.map(async (row) => open(await keyOf(textOf(row.subject)), row)));
  }

  return {
    async change(listener, facts, decide) {
      const key = await keyOf(facts.subject);
      await db.group(() => {
        const before = about(key, listener, facts);
        for (const sentence of decide(before)) put.run(sentenceRow(key, indexOf(listener), sentence));
      });
    },
    async sentences(listener, facts) {
      const key = await keys.of(facts.subject);
      return key === null ? [] : db.read(() => about(key, listener, facts));
    },
    async standing(listener, lanes: LaneFilter) {
      const cells = { ...filterCells(lanes), listener_index: indexOf(listener) };
      return openRows(db.read(() => standing.all(cells)));
    },
    async listeners(lanes) {
      const found: Row[] = [];
      for (const { listener_index } of db.read(() => listeners.all(filterCells(lanes)))) {
        const one = db.read(() =>
          oneOf.get({ ...filterCells(lanes), listener_index: bytesOf(listener_index) }),
        );
        if (one !== undefined) found.push(one);
      }
      return (await openRows(found)).map(({ listener }) => listener).sort();
    },
    async keep(kept) {
      const key = await keyOf(kept.subject);
      await db.group(() => putText.run(textRow(key, kept)));
    },
    async text(subject, id) {
      const key = await keys.of(subject);
      const row = key && db.read(() => text.get({ subject, text_index: textIndex(key, id) }));
      if (!key || !row) return null;
      const found = textOfRow(key, row);
      if (found === null) throw refusal('damaged', db.file);
      return found;
    },
  };
}
