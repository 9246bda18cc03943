import type {
  ChainPage,
  FactName,
  FactStore,
  FactVersion,
  JournalEntry,
  LaneFilter,
} from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { topicIndex } from '../rows/version-rows.ts';
import { createJournalQueries, type StoredEntry } from '../stores/journal-queries.ts';
import { createLaneQueries } from '../stores/lane-queries.ts';
import { createAnsweredRequests } from './answered-requests.ts';
import { createAppender } from './append.ts';
import { createAuditLog } from './audit-log.ts';
import type { SqliteDatabase } from './database.ts';
import { createDirectory } from './directory.ts';
import { createFactQueries, type OpenSubject } from './fact-queries.ts';
import { createKnownHeads } from './known-heads.ts';
import { createNonces } from './nonces.ts';
import { refusal } from './sqlite-errors.ts';
import { createVersionCache } from './version-cache.ts';

/**
 * The facts kept in a database. Each method first has the keys opened that it needs, and then runs to its end
 * within one turn of the event loop, so no other can come between its statements; those that write in the same
 * turn share one transaction. A database is given one such store: it keeps the newest rows in memory.
 *
 * A record that does not open is a `StorageError` with the code `damaged` for whoever reads it, and a broken
 * version for whoever replays its chain. It is never absent and never served.
 */
export function createSqliteFactStore(db: SqliteDatabase, keys: KeyRing): FactStore {
  const log = createAuditLog(db, keys.store);
  const nonces = createNonces(db);
  const requests = createAnsweredRequests(db, keys.store);
  const directory = createDirectory(db);
  const append = createAppender(db, { log, nonces, requests, directory });
  const cache = createVersionCache();
  const heads = createKnownHeads();
  const facts = createFactQueries(db, keys, directory, cache, heads);
  const lanes = createLaneQueries(db);
  const journal = createJournalQueries(db);

  async function subjectsIn(filter: LaneFilter): Promise<OpenSubject[]> {
    const subjects = new Set((await lanes.lanes(filter)).map((lane) => lane.subject));
    return openAll(keys, subjects);
  }

  async function nameOf(subject: string, index: Uint8Array) {
    const key = await keys.of(subject);
    return key && db.read(() => directory.of(subject, key).byIndex(index));
  }

  function appended(version: FactVersion, key: RecordKey): void {
    cache.put(version);
    heads.set(version, version.audience, version);
    if (version.version > 1) return;
    directory.added({ ...nameIn(version), index: topicIndex(key, version.topic) });
  }

  async function named(stored: readonly StoredEntry[]): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = [];
    for (const entry of stored) entries.push(withUri(entry, await nameOf(entry.subject, entry.index)));
    return entries;
  }

  return {
    async heads(fact, lane) {
      const key = await keys.of(fact.subject);
      // Both are read before this turn of the event loop ends.
      const head = lanes.head(lane);
      return { fact: key && db.read(() => facts.version(key, fact, null)), lane: await head };
    },
    async append(entry) {
      const { version } = entry;
      for (;;) {
        const writing = await keys.forWriting(version.subject);
        let saved = false;
        // Outside the transaction, so that no name is kept that might be rolled back.
        if (version.version > 1) db.read(() => directory.of(version.subject, writing.key));
        try {
          const outcome = await db.group(
            () => append(writing, entry),
            ({ kind }) => {
              saved = kind === 'appended';
              if (saved) appended(version, writing.key);
            },
          );
          if (outcome.kind === 'other_key') continue;
          return outcome;
        } finally {
          keys.settle(version.subject, writing, saved);
        }
      }
    },
    record: (entry, nonce) =>
      db.group(() => {
        if (nonce !== null && nonces.used(nonce)) return 'replayed';
        log.add(entry);
        if (nonce !== null) nonces.use(nonce, entry.at);
        return 'recorded';
      }),
    countRefusal: (entry) => db.group(() => log.count(entry)),
    async answered(id) {
      const answer = db.read(() => requests.find(id));
      if (answer === null) return null;
      const fact = await nameOf(answer.subject, answer.index);
      if (fact === null) throw refusal('damaged', db.file);
      const { requestHash, version } = answer;
      return { requestHash, fact: { subject: fact.subject, topic: fact.topic }, version };
    },
    async audienceOf(fact) {
      const key = await keys.of(fact.subject);
      return key && db.read(() => facts.audienceOf(key, fact));
    },
    async headFor(fact, audience) {
      const key = await keys.of(fact.subject);
      return key && db.read(() => facts.headFor(key, fact, audience));
    },
    async version(fact, version) {
      const key = await keys.of(fact.subject);
      return key && db.read(() => facts.version(key, fact, version));
    },
    async withdrawnThrough(fact) {
      const key = await keys.of(fact.subject);
      return key === null ? 0 : db.read(() => facts.withdrawnThrough(key, fact));
    },
    async list(page) {
      const subjects = await subjectsIn(page);
      return db.read(() => facts.list(subjects, page));
    },
    async names(page) {
      const subjects = await subjectsIn(page);
      return db.read(() => facts.names(subjects, page).map(nameIn));
    },
    async chain(fact, page = WHOLE) {
      const key = await keys.of(fact.subject);
      if (key === null) return { head: null, versions: [], seals: [] };
      return db.read(() => {
        const stored = facts.versions(key, fact, page);
        return {
          head: facts.chainHead(key, fact),
          versions: stored.map(({ version }) => version),
          seals: stored.map(({ seal }) => seal),
        };
      });
    },
    async lanes(filter) {
      return lanes.lanes(filter);
    },
    async corrections(query) {
      const key = await keys.of(query.lane.subject);
      return key === null ? [] : lanes.corrections(key, query);
    },
    positionOf: journal.positionOf,
    async laneEntries(lane, afterOrdinal, limit) {
      const key = await keys.of(lane.subject);
      const stored = await journal.ofLane(lane, afterOrdinal, limit);
      const names = key && directory.of(lane.subject, key);
      return stored.map((entry) => withUri(entry, names?.byIndex(entry.index) ?? null));
    },
    journal: async (after, limit) => named(await journal.after(after, limit)),
    journalHead: journal.head,
    async audit(fromIndex, limit) {
      return db.read(() => ({ rows: log.rows(fromIndex, limit), counted: log.counts() }));
    },
  };
}

// More than a URI can number: nine digits.
const WHOLE: ChainPage = { after: 0, limit: 2 ** 31 };

async function openAll(keys: KeyRing, subjects: Iterable<string>): Promise<OpenSubject[]> {
  const open: OpenSubject[] = [];
  for (const subject of subjects) {
    const key = await keys.of(subject);
    if (key !== null) open.push({ subject, key });
  }
  return open;
}

function withUri(entry: StoredEntry, name: FactName | null): JournalEntry {
  const { position, subject, audience, version, kind, writtenAt, quiet } = entry;
  return { position, subject, audience, version, kind, writtenAt, quiet, uri: name?.uri ?? null };
}

function nameIn({ subject, topic, uri, audience }: FactName): FactName {
  return { subject, topic, uri, audience };
}
