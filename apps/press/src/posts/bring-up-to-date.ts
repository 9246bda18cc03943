import type { Statement, Value } from '../database/database.ts';
import { momentOf } from '../gates/date.ts';
import { readFence } from '../gates/fence.ts';
import { readMessage } from './commit-message.ts';
import { type Comparison, type Copy, compare } from './compare.ts';
import type { Stores } from './parts.ts';
import { wordsOfMarkdown } from './render-markdown.ts';

const MOST_TRIES = 20;
// A key that is older than this many commits was answered long ago.
const MOST_COMMITS = 1000;

/**
 * Makes the database, and then the search index, say what the repository says, and gives what they then
 * agree on. Each is one batch, which happens only if the copy is still at the commit that it was compared at: of two
 * that do this at once, none writes an older state over a newer one.
 */
export async function bringUpToDate(parts: Stores): Promise<Comparison> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const found = await compare(parts);
    const [database, index] = [isBehind(found, 'database'), isBehind(found, 'index')];
    if (!database && !index) return found;
    if (database) await write(parts, found, 'database', await databaseStatements(parts, found));
    if (index) await write(parts, found, 'index', await indexStatements(parts, found));
  }
  throw new Error('the copies of the repository do not settle');
}

function isBehind({ head, heads, behind }: Comparison, copy: Copy): boolean {
  return heads[copy] !== head || behind[copy].length > 0;
}

/** A statement that does nothing where the copy has moved on; it ends in a condition, and its values come first. */
type Guarded = (sql: string, ...values: readonly Value[]) => Statement;

async function write(
  { database }: Stores,
  { head, heads }: Comparison,
  copy: Copy,
  statements: (guarded: Guarded) => readonly Statement[],
): Promise<void> {
  const guarded: Guarded = (sql, ...values) => {
    const guard = 'EXISTS (SELECT 1 FROM heads WHERE name = ? AND commit_id = ?)';
    return database.prepare(sql.replace('$UNMOVED', guard)).bind(...values, copy, heads[copy]);
  };
  await database.batch([
    ...statements(guarded),
    database
      .prepare('UPDATE heads SET commit_id = ? WHERE name = ? AND commit_id = ?')
      .bind(head, copy, heads[copy]),
  ]);
}

async function databaseStatements(
  { repository }: Stores,
  { head, heads, posts, entries, behind }: Comparison,
): Promise<(guarded: Guarded) => readonly Statement[]> {
  const html = await repository.read(behind.database.flatMap((slug) => posts.get(slug)?.htmlBlob ?? []));
  const since = heads.database === '' ? {} : { since: heads.database };
  // Where history was written anew, the commit of the mark may be gone, and with it what lies between.
  const commits = await repository.log({ until: head, ...since, limit: MOST_COMMITS }).catch(() => []);
  return (guarded) => [
    ...behind.database.map((slug) => {
      const [post, entry] = [posts.get(slug), entries.get(slug)];
      if (post === undefined || entry === undefined || post.entryBlob === null)
        return guarded('DELETE FROM posts WHERE slug = ? AND $UNMOVED', slug);
      return guarded(
        `INSERT OR REPLACE INTO posts (slug, revision, entry_blob, status, title, date, sorted_at, entry, html)
         SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE $UNMOVED`,
        slug,
        entry.revision,
        post.entryBlob,
        entry.status,
        entry.title,
        entry.date,
        momentOf(entry.date),
        JSON.stringify(entry),
        html.get(post.htmlBlob ?? '') ?? '',
      );
    }),
    ...commits.flatMap(({ commit, message }) => {
      const { request } = readMessage(message);
      if (request === null) return [];
      return guarded(
        'INSERT OR IGNORE INTO requests (id, fingerprint, commit_id) SELECT ?, ?, ? WHERE $UNMOVED',
        request.id,
        request.fingerprint,
        commit,
      );
    }),
  ];
}

async function indexStatements(
  { repository }: Stores,
  { posts, entries, behind }: Comparison,
): Promise<(guarded: Guarded) => readonly Statement[]> {
  const live = behind.index.flatMap((slug) => {
    const entry = entries.get(slug);
    return entry?.status === 'published' ? [entry] : [];
  });
  const texts = await repository.read(live.map(({ revision }) => revision));
  return (guarded) => [
    ...behind.index.flatMap((slug) => {
      const blob = posts.get(slug)?.entryBlob ?? null;
      return [
        guarded('DELETE FROM search WHERE slug = ? AND $UNMOVED', slug),
        blob === null
          ? guarded('DELETE FROM indexed WHERE slug = ? AND $UNMOVED', slug)
          : guarded(
              'INSERT OR REPLACE INTO indexed (slug, entry_blob) SELECT ?, ? WHERE $UNMOVED',
              slug,
              blob,
            ),
      ];
    }),
    ...live.map(({ slug, revision, title, summary }) => {
      const fence = readFence(texts.get(revision) ?? '');
      const words = fence.kind === 'fenced' ? wordsOfMarkdown(fence.body) : '';
      return guarded(
        'INSERT INTO search (slug, title, summary, body) SELECT ?, ?, ?, ? WHERE $UNMOVED',
        slug,
        title,
        summary,
        words,
      );
    }),
  ];
}
