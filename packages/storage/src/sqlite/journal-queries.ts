import { BEGINNING, type JournalEntry, type Position } from '@unsay/live-resources';
import { bytesOf, numberOf, textOf } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';

/** An entry as it is stored: the fact's name is sealed, its index stands for it. */
export interface StoredEntry extends Omit<JournalEntry, 'uri'> {
  readonly index: Uint8Array;
}

/** Reads of the journal. */
export interface JournalQueries {
  after(position: Position, limit: number): StoredEntry[];
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

function entryOf(row: Row): StoredEntry {
  return {
    position: numberOf(row.position) as Position,
    subject: textOf(row.subject) as JournalEntry['subject'],
    index: bytesOf(row.topic_index),
    audience: textOf(row.audience) as JournalEntry['audience'],
    version: numberOf(row.version),
    kind: textOf(row.kind) as JournalEntry['kind'],
    writtenAt: textOf(row.written_at) as JournalEntry['writtenAt'],
    quiet: numberOf(row.quiet) !== 0,
  };
}
