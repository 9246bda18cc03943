import type {
  ChainPage,
  FactName,
  FactPage,
  FactStore,
  JournalEntry,
  LaneFilter,
} from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { answerOf, requestIndex } from '../rows/answer-rows.ts';
import { minuteOf, openAuditRow, openCount, UNREADABLE } from '../rows/audit-rows.ts';
import type { Row } from '../rows/cells.ts';
import { SEAL_COLUMNS } from '../rows/seal-cells.ts';
import type { SubjectNames } from '../rows/subject-names.ts';
import { topicIndex } from '../rows/version-rows.ts';
import { createJournalQueries, type StoredEntry } from '../stores/journal-queries.ts';
import { createLaneQueries } from '../stores/lane-queries.ts';
import type { PostgresDatabase } from './database.ts';
import { createDirectory, pageOf } from './directory.ts';
import { createFactQueries } from './fact-queries.ts';
import type { WriteNeeds } from './load-heads.ts';
import { createWriteGroups } from './write-group.ts';

interface OpenSubject {
  readonly key: RecordKey;
  readonly names: SubjectNames;
}

const NOTHING: WriteNeeds = {
  fact: null,
  lane: null,
  nonce: null,
  request: null,
  newKeyOf: null,
  minute: null,
};

/**
 * The facts kept in a database that other processes may write to as well. Whatever decides what is written is read
 * and written under one lock, which all writers take; reads take none.
 *
 * A record that does not open is a `StorageError` with the code `damaged` for whoever reads it, and a broken
 * version for whoever replays its chain. It is never absent and never served.
 *
 * @param appended is called after each transaction that added to the journal, such as to wake other processes.
 */
export function createPostgresFactStore(
  db: PostgresDatabase,
  keys: KeyRing,
  appended: () => void = () => undefined,
): FactStore {
  const facts = createFactQueries(db, keys);
  const lanes = createLaneQueries(db);
  const journal = createJournalQueries(db);
  const directory = createDirectory(db);
  const inGroup = createWriteGroups(db, keys.store, appended);

  async function open(filter: LaneFilter): Promise<OpenSubject[]> {
    const found = await lanes.lanes(filter);
    const subjects: OpenSubject[] = [];
    for (const subject of new Set(found.map((lane) => lane.subject))) {
      const key = await keys.of(subject);
      if (key === null) continue;
      const names = await directory.of(
        subject,
        key,
        found.filter((lane) => lane.subject === subject),
      );
      // A page that silently lacks a fact would be believed.
      if (names.incomplete) throw db.damaged();
      subjects.push({ key, names });
    }
    return subjects;
  }

  async function named(stored: readonly StoredEntry[]): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = [];
    for (const { index, ...entry } of stored) {
      const key = await keys.of(entry.subject);
      const fact = key && (await directory.find(entry.subject, key, index));
      entries.push({ ...entry, uri: fact?.uri ?? null });
    }
    return entries;
  }

  return {
    async heads(fact, lane) {
      const key = await keys.of(fact.subject);
      const [head, laneHead] = await Promise.all([key && facts.version(key, fact, null), lanes.head(lane)]);
      return { fact: head, lane: laneHead };
    },
    async append(entry) {
      const { version, audit, nonce, request } = entry;
      const { subject, topic, audience } = version;
      for (;;) {
        const writing = await keys.forWriting(subject);
        let saved = false;
        try {
          const outcome = await inGroup({
            needs: {
              fact: { subject, index: topicIndex(writing.key, topic) },
              lane: { subject, audience },
              nonce: nonce?.id ?? null,
              request: request && requestIndex(keys.store, request.id),
              newKeyOf: writing.unsaved && subject,
              minute: minuteOf(audit.at),
            },
            decide: (plan) => plan.append(writing, entry),
          });
          saved = outcome.kind === 'appended';
          if (outcome.kind !== 'other_key') return outcome;
        } finally {
          keys.settle(subject, writing, saved);
        }
      }
    },
    record: (audit, nonce) =>
      inGroup({
        needs: { ...NOTHING, nonce: nonce?.id ?? null, minute: minuteOf(audit.at) },
        decide: (plan) => plan.record(audit, nonce),
      }),
    countRefusal: (audit) => inGroup({ needs: NOTHING, decide: (plan) => plan.count(audit) }),
    async answered(id) {
      const sql = 'SELECT * FROM answered_requests WHERE id_index = :id_index';
      const [row] = await db.select(sql, { id_index: requestIndex(keys.store, id) });
      if (row === undefined) return null;
      const answer = answerOf(keys.store, row);
      const key = answer && (await keys.of(answer.subject));
      const fact = key && (await directory.find(answer.subject, key, answer.index));
      if (!answer || !fact) throw db.damaged();
      const { requestHash, version } = answer;
      return { requestHash, fact: { subject: fact.subject, topic: fact.topic }, version };
    },
    async audienceOf(fact) {
      const key = await keys.of(fact.subject);
      return key && facts.audienceOf(key, fact);
    },
    async headFor(fact, audience) {
      const key = await keys.of(fact.subject);
      return key && facts.headFor(key, fact, audience);
    },
    async version(fact, version) {
      const key = await keys.of(fact.subject);
      return key && facts.version(key, fact, version);
    },
    async withdrawnThrough(fact) {
      const key = await keys.of(fact.subject);
      return key === null ? 0 : facts.withdrawnThrough(key, fact);
    },
    list: async (page: FactPage) => facts.heads(pageOf(await open(page), page)),
    names: async (page: FactPage): Promise<FactName[]> =>
      pageOf(await open(page), page).map(({ subject, topic, uri, audience }) => ({
        subject,
        topic,
        uri,
        audience,
      })),
    async chain(fact, page = WHOLE) {
      const key = await keys.of(fact.subject);
      return key === null ? { head: null, versions: [], seals: [] } : facts.chain(key, fact, page);
    },
    lanes: lanes.lanes,
    async corrections(query) {
      const key = await keys.of(query.lane.subject);
      return key === null ? [] : lanes.corrections(key, query);
    },
    positionOf: journal.positionOf,
    laneEntries: async (lane, afterOrdinal, limit) => named(await journal.ofLane(lane, afterOrdinal, limit)),
    journal: async (after, limit) => named(await journal.after(after, limit)),
    journalHead: journal.head,
    async audit(from, limit) {
      const all = await db.select(AUDIT, { from, limit });
      const [rows, counts] = [all.filter(isLogged), all.filter((row) => !isLogged(row))];
      return {
        rows: rows.map((row) => openAuditRow(keys.store, row) ?? UNREADABLE),
        counted: counts.map((row) => openCount(keys.store, row)),
      };
    },
  };
}

// One statement, so that no count becomes a row in between.
const AUDIT = `
  (SELECT row_index, NULL::text AS at, NULL::bytea AS attempt_index, NULL::bigint AS attempts, ${SEAL_COLUMNS}
    FROM audit WHERE row_index >= :from ORDER BY row_index LIMIT :limit)
  UNION ALL (SELECT NULL, at, attempt_index, attempts, ${SEAL_COLUMNS} FROM audit_counts ORDER BY at, id)`;

const isLogged = ({ row_index }: Row): boolean => row_index !== null;

// More than a URI can number: nine digits.
const WHOLE: ChainPage = { after: 0, limit: 2 ** 31 - 1 };
