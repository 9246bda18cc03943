import { createRecentlyUsed } from '../envelope/recently-used.ts';
import type { RecordKey } from '../envelope/record-key.ts';
import { bytesOf, type Row, textOf } from '../rows/cells.ts';
import { type Name, namedFact, nameInVersions, openName } from '../rows/name-rows.ts';
import { createSubjectNames, type NamedFact, type SubjectNames } from '../rows/subject-names.ts';
import type { SqliteDatabase } from './database.ts';

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

  function nameOf(key: RecordKey, row: Row): Name | null {
    const own = openName(key, row);
    if (own !== null) return own;
    const index = bytesOf(row.topic_index);
    return nameInVersions(key, index, versions.all({ subject: textOf(row.subject), index }));
  }

  return {
    of(subject, key) {
      const known = kept.get(subject);
      if (known !== undefined) return known;
      const names = createSubjectNames();
      for (const row of facts.all({ subject })) {
        const name = nameOf(key, row);
        if (name === null) names.addUnknown();
        else names.add(namedFact(row, name));
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
