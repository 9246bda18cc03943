import type { LaneFilter } from '@unsay/live-resources';
import type { FactsOf, LedgerStore, ListenerId, Sentence } from '@unsay/live-resources/ledger';
import type { RecordKey } from '../envelope/record-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { bytesOf, type Row, textOf } from '../rows/cells.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import { sentenceOf, sentenceRow, textIndex, textOfRow, textRow } from '../rows/sentence-rows.ts';
import { topicIndex } from '../rows/version-rows.ts';
import { filterCells, inLanes } from './lane-filter.ts';
import type { Command, Tables } from './tables.ts';

/**
 * The ledger kept in a database, beside the facts that it is about. What identifies is sealed with the key of the
 * subject, so that it goes when that does; a listener may hear of many subjects, and its index is under the
 * store's own key.
 */
export function createLedgerStore(db: Tables, keys: KeyRing): LedgerStore {
  const ofFact = `
    SELECT * FROM sentences
    WHERE subject = :subject AND listener_index = :listener_index AND topic_index = :topic_index`;
  const put = `
    INSERT INTO sentences (subject, listener_index, topic_index, version, takes_back, text_index, audience,
      standing, ${SEAL_COLUMNS})
    VALUES (:subject, :listener_index, :topic_index, :version, :takes_back, :text_index, :audience,
      :standing, ${SEAL_PARAMETERS})
    ON CONFLICT (subject, listener_index, topic_index, version, takes_back, text_index) DO UPDATE SET
      audience = excluded.audience, standing = excluded.standing, key_id = excluded.key_id,
      nonce = excluded.nonce, tag = excluded.tag, commitment = excluded.commitment,
      ciphertext = excluded.ciphertext`;
  const standing = `
    SELECT * FROM sentences WHERE listener_index = :listener_index AND standing = 1 AND ${inLanes(db)}`;
  const listeners = `
    SELECT DISTINCT listener_index FROM sentences WHERE standing = 1 AND ${inLanes(db)}`;
  // Whose index it is stands sealed in each of its rows, so one of them has to be opened.
  const oneOf = `
    SELECT * FROM sentences WHERE listener_index = :listener_index AND standing = 1 AND ${inLanes(db)} LIMIT 1`;
  const putText = `
    INSERT INTO texts (subject, text_index, audience, ${SEAL_COLUMNS})
    VALUES (:subject, :text_index, :audience, ${SEAL_PARAMETERS})
    ON CONFLICT (subject, text_index) DO NOTHING`;
  const text = 'SELECT * FROM texts WHERE subject = :subject AND text_index = :text_index';

  const indexOf = (listener: ListenerId): Uint8Array => keys.store.index('listener', listener);
  const open = (key: RecordKey, row: Row): Sentence => {
    const sentence = sentenceOf(key, row);
    if (sentence === null) throw db.damaged();
    return sentence;
  };

  function about(key: RecordKey, listener: ListenerId, { subject, topics }: FactsOf): Command[] {
    const listener_index = indexOf(listener);
    return topics.map((topic) => ({
      sql: ofFact,
      cells: { subject, listener_index, topic_index: topicIndex(key, topic) },
    }));
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
      const listenerIndex = indexOf(listener);
      const lock = `ledger ${facts.subject} ${Buffer.from(listenerIndex).toString('hex')}`;
      await db.change(lock, about(key, listener, facts), (rows) =>
        decide(rows.map((row) => open(key, row))).map((sentence) => ({
          sql: put,
          cells: sentenceRow(key, listenerIndex, sentence),
        })),
      );
    },
    async sentences(listener, facts) {
      const key = await keys.of(facts.subject);
      if (key === null) return [];
      const queries = about(key, listener, facts);
      const found = await Promise.all(queries.map(({ sql, cells }) => db.select(sql, cells)));
      return found.flat().map((row) => open(key, row));
    },
    async standing(listener, lanes: LaneFilter) {
      const cells = { ...filterCells(lanes), listener_index: indexOf(listener) };
      return openRows(await db.select(standing, cells));
    },
    async listeners(lanes) {
      const found: Row[] = [];
      for (const { listener_index } of await db.select(listeners, filterCells(lanes))) {
        const cells = { ...filterCells(lanes), listener_index: bytesOf(listener_index) };
        const [one] = await db.select(oneOf, cells);
        if (one !== undefined) found.push(one);
      }
      return (await openRows(found)).map(({ listener }) => listener).sort();
    },
    async keep(kept) {
      const key = await keyOf(kept.subject);
      await db.run({ sql: putText, cells: textRow(key, kept) });
    },
    async text(subject, id) {
      const key = await keys.of(subject);
      const row = key && (await db.select(text, { subject, text_index: textIndex(key, id) }))[0];
      if (!key || !row) return null;
      const found = textOfRow(key, row);
      if (found === null) throw db.damaged();
      return found;
    },
  };
}
