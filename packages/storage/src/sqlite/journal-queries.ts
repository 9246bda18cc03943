import { BEGINNING, type JournalEntry, type Position } from '@unsay/live-resources';
import { numberOf, textOf } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';

/** Reads of the journal. */
export interface JournalQueries {
  after(position: Position, limit: number): JournalEntry[];
  head(): Position;
}

/** The journal's reads on a database. */
export function createJournalQueries(db: SqliteDatabase): JournalQueries {
  const page = db.prepare('SELECT * FROM journal WHERE position > :after ORDER BY position LIMIT :limit');
  const last = db.prepare('SELECT max(position) AS position FROM journal');
  return {
    after: (after, limit) => page.all({ after, limit }).map(entryOf),
    head: () => Number(last.get()?.position ?? BEGINNING) as Position,
  };
}

function entryOf(row: Row): JournalEntry {
  return {
    position: numberOf(row.position) as Position,
    uri: textOf(row.uri) as JournalEntry['uri'],
    subject: textOf(row.subject) as JournalEntry['subject'],
    audience: textOf(row.audience) as JournalEntry['audience'],
    version: numberOf(row.version),
    kind: textOf(row.kind) as JournalEntry['kind'],
    writtenAt: textOf(row.written_at) as JournalEntry['writtenAt'],
    quiet: numberOf(row.quiet) !== 0,
  };
}
