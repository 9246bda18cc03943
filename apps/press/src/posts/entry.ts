import type { FrontMatter } from '../gates/front-matter.ts';

/** When a post went live for the first time, and by whose say. */
export interface FirstPublished {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** An admin, or the migration, for a post that was live before the rule. */
  readonly by: 'admin' | 'migration';
}

/** What is said of a post without its text: its entry in every list. */
export interface PostEntry extends FrontMatter {
  readonly slug: string;
  /** The git blob id of the Markdown that this was built from: it names exactly that text. */
  readonly revision: string;
  /** When this text was saved; ISO 8601, UTC. */
  readonly updatedAt: string;
  /** Null until an admin published the post. Only Press writes it; nothing in a post can. */
  readonly firstPublished: FirstPublished | null;
}

const PATH = /^posts\/([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/;

/** Where a post's files are in the repository: what was written, and what is built from it. */
export const pathsOf = (slug: string) => ({
  markdown: `posts/${slug}.md`,
  entry: `built/${slug}.json`,
  html: `built/${slug}.html`,
});

/** The slug of the post whose Markdown a path is, or null. */
export function slugOfPath(path: string): string | null {
  return PATH.exec(path)?.[1] ?? null;
}

/** An entry as its file holds it: the same entry is always the same bytes. */
export function serializeEntry(entry: PostEntry): string {
  const { slug, revision, status, title, date, summary, tags, updatedAt, firstPublished } = entry;
  return `${JSON.stringify({ slug, revision, status, title, date, summary, tags, updatedAt, firstPublished }, null, 2)}\n`;
}

/** Reads an entry that Press wrote. */
export function parseEntry(text: string): PostEntry {
  return JSON.parse(text) as PostEntry;
}
