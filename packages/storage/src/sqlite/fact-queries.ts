import type { Audience, ChainHead, FactKey, FactPage, FactVersion } from '@unsay/live-resources';
import { numberOf, textOf } from './cells.ts';
import type { SqliteDatabase } from './database.ts';
import { AUDIENCES, filterCells, SUBJECTS } from './lane-filter.ts';
import { versionOf } from './version-rows.ts';

/** Reads of facts and their versions. */
export interface FactQueries {
  audienceOf(fact: FactKey): Audience | null;
  version(fact: FactKey, version: number | null): FactVersion | null;
  chainHead(fact: FactKey): ChainHead | null;
  versions(fact: FactKey): FactVersion[];
  withdrawnThrough(fact: FactKey): number;
  list(page: FactPage): FactVersion[];
}

/** A page of the facts of some subjects; exported for the test of its query plan. */
export const LIST_OF_SUBJECTS = list(
  // The unary plus keeps the index on URIs out: a principal of few subjects must not pay for all of them.
  `f.subject IN ${SUBJECTS} AND f.audience IN ${AUDIENCES} AND +f.uri > :after ORDER BY +f.uri`,
);

/** A page of the facts of all subjects. */
export const LIST_OF_ALL = list(
  `f.audience IN ${AUDIENCES} AND f.uri > :after AND :subjects IS NULL ORDER BY f.uri`,
);

/** The facts' reads on a database. */
export function createFactQueries(db: SqliteDatabase): FactQueries {
  const fact = 'facts f JOIN versions v ON v.uri = f.uri WHERE f.subject = :subject AND f.topic = :topic';
  const head = db.prepare(`SELECT v.* FROM ${fact} AND v.version = f.head_version`);
  const numbered = db.prepare(`SELECT v.* FROM ${fact} AND v.version = :version`);
  const all = db.prepare(`SELECT v.* FROM ${fact} ORDER BY v.version`);
  const said = db.prepare(
    'SELECT head_version, head_hash FROM facts WHERE subject = :subject AND topic = :topic',
  );
  const withdrawn = db.prepare(`SELECT max(v.version) AS version FROM ${fact} AND v.kind = 'withdraw'`);
  const audience = db.prepare('SELECT audience FROM facts WHERE subject = :subject AND topic = :topic');
  const ofSubjects = db.prepare(LIST_OF_SUBJECTS);
  const ofAll = db.prepare(LIST_OF_ALL);
  return {
    audienceOf({ subject, topic }) {
      const row = audience.get({ subject, topic });
      return row === undefined ? null : (textOf(row.audience) as Audience);
    },
    version({ subject, topic }, version) {
      const row = version === null ? head.get({ subject, topic }) : numbered.get({ subject, topic, version });
      return row === undefined ? null : versionOf(row);
    },
    chainHead({ subject, topic }) {
      const row = said.get({ subject, topic });
      return row === undefined
        ? null
        : { version: numberOf(row.head_version), versionHash: textOf(row.head_hash) };
    },
    versions: ({ subject, topic }) => all.all({ subject, topic }).map(versionOf),
    withdrawnThrough: ({ subject, topic }) => Number(withdrawn.get({ subject, topic })?.version ?? 0),
    list({ after, limit, ...filter }) {
      const statement = filter.subjects === '*' ? ofAll : ofSubjects;
      // No URI is empty, so each sorts after ''.
      return statement.all({ ...filterCells(filter), after: after ?? '', limit }).map(versionOf);
    },
  };
}

// A fact whose newest row was removed is listed with the newest that is left: verification goes through
// the list, and would never come past a fact that is missing from it.
function list(selection: string): string {
  return `
    SELECT v.* FROM facts f JOIN versions v
      ON v.uri = f.uri AND v.version = (SELECT max(version) FROM versions WHERE uri = f.uri)
    WHERE ${selection} LIMIT :limit`;
}
