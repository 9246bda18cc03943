import type { Database } from '../database/database.ts';
import { type PostEntry, parseEntry } from '../posts/entry.ts';

/** A live post as the site shows it. */
export interface PublishedPost extends PostEntry {
  readonly html: string;
}

interface Row {
  readonly entry: string;
  readonly html: string;
}

/** Live posts, and nothing else: there is no query here that a draft could come out of. */
export interface PublishedPosts {
  find(slug: string): Promise<PublishedPost | null>;
  /** The newest first. */
  newest(range: { readonly limit: number; readonly skip?: number }): Promise<readonly PublishedPost[]>;
  /** Entries of all of them, the newest first. */
  all(): Promise<readonly PostEntry[]>;
  count(): Promise<number>;
  /** Those in which every word of a question stands, the best first. */
  search(question: string, limit: number): Promise<readonly PostEntry[]>;
}

const ORDER = 'ORDER BY sorted_at DESC, posts.slug';
const MOST_WORDS = 16;

/** Live posts as the database has them. */
export function publishedPosts(database: Database): PublishedPosts {
  return {
    async find(slug) {
      const row = await database
        .prepare("SELECT entry, html FROM posts WHERE slug = ? AND status = 'published'")
        .bind(slug)
        .first<Row>();
      return row === null ? null : postOf(row);
    },

    async newest({ limit, skip = 0 }) {
      const { results } = await database
        .prepare(`SELECT entry, html FROM posts WHERE status = 'published' ${ORDER} LIMIT ? OFFSET ?`)
        .bind(limit, skip)
        .all<Row>();
      return results.map(postOf);
    },

    async all() {
      const { results } = await database
        .prepare(`SELECT entry FROM posts WHERE status = 'published' ${ORDER}`)
        .all<Row>();
      return results.map(({ entry }) => parseEntry(entry));
    },

    async count() {
      const row = await database
        .prepare("SELECT count(*) AS count FROM posts WHERE status = 'published'")
        .first<{ count: number }>();
      return row?.count ?? 0;
    },

    async search(question, limit) {
      const match = matchOf(question);
      if (match === null) return [];
      // The index may be a step behind: what it knows of a text counts only while that is the text.
      const { results } = await database
        .prepare(
          `SELECT posts.entry FROM search
           JOIN posts ON posts.slug = search.slug AND posts.status = 'published'
           JOIN indexed ON indexed.slug = posts.slug AND indexed.entry_blob = posts.entry_blob
           WHERE search MATCH ? ORDER BY search.rank LIMIT ?`,
        )
        .bind(match, limit)
        .all<Row>();
      return results.map(({ entry }) => parseEntry(entry));
    },
  };
}

/** A question as words in quotes, the last of which may be the start of one: nothing in it is an operator of FTS5. */
function matchOf(question: string): string | null {
  const words = question.match(/[\p{L}\p{N}]+/gu)?.slice(0, MOST_WORDS) ?? [];
  return words.length === 0 ? null : `${words.map((word) => `"${word}"`).join(' ')}*`;
}

function postOf({ entry, html }: Row): PublishedPost {
  return { ...parseEntry(entry), html };
}
