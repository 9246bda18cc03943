import type { FactStore } from '@unsay/live-resources';
import { createAnsweredRequests } from './answered-requests.ts';
import { createAppender } from './append.ts';
import { createAuditLog } from './audit-log.ts';
import type { SqliteDatabase } from './database.ts';
import { createFactQueries } from './fact-queries.ts';
import { createJournalQueries } from './journal-queries.ts';
import { createLaneQueries } from './lane-queries.ts';
import { createNonces } from './nonces.ts';

/**
 * The facts kept in a database. Each method runs to its end within one turn of the event loop, so no other
 * can come between its statements, and each that writes is one transaction.
 */
export function createSqliteFactStore(db: SqliteDatabase): FactStore {
  const log = createAuditLog(db);
  const nonces = createNonces(db);
  const requests = createAnsweredRequests(db);
  const append = createAppender(db, log, nonces, requests);
  const facts = createFactQueries(db);
  const lanes = createLaneQueries(db);
  const journal = createJournalQueries(db);
  return {
    async heads(fact, lane) {
      return db.read(() => ({ fact: facts.version(fact, null), lane: lanes.head(lane) }));
    },
    async append(entry) {
      return db.write(() => append(entry));
    },
    async record(entry, nonce) {
      return db.write(() => {
        if (nonce !== null && nonces.used(nonce)) return 'replayed';
        log.add(entry);
        if (nonce !== null) nonces.use(nonce, entry.at);
        return 'recorded';
      });
    },
    async countRefusal(entry) {
      db.write(() => log.count(entry));
    },
    async answered(id) {
      return db.read(() => requests.find(id));
    },
    async audienceOf(fact) {
      return db.read(() => facts.audienceOf(fact));
    },
    async version(fact, version) {
      return db.read(() => facts.version(fact, version));
    },
    async withdrawnThrough(fact) {
      return db.read(() => facts.withdrawnThrough(fact));
    },
    async list(page) {
      return db.read(() => facts.list(page));
    },
    async chain(fact) {
      return db.read(() => ({ head: facts.chainHead(fact), versions: facts.versions(fact) }));
    },
    async lanes(filter) {
      return db.read(() => lanes.lanes(filter));
    },
    async corrections(query) {
      return db.read(() => lanes.corrections(query));
    },
    async journal(after, limit) {
      return db.read(() => journal.after(after, limit));
    },
    async journalHead() {
      return db.read(() => journal.head());
    },
    async audit(fromIndex, limit) {
      return db.read(() => ({ rows: log.rows(fromIndex, limit), counted: log.counts() }));
    },
  };
}
