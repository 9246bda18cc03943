import { type PostEntry, parseEntry, pathsOf, slugOfPath } from './entry.ts';
import type { Stores } from './parts.ts';

/** A copy of the repository that can be behind it. */
export type Copy = 'database' | 'index';

/** A post of which a copy says something else than the repository does. */
export interface Divergence {
  readonly slug: string;
  /** What is behind: what is built from the Markdown, the database, or the search index. */
  readonly where: 'built' | Copy;
  /** Revisions; null for a post that is not there. */
  readonly git: string | null;
  readonly copy: string | null;
}

/** A post as the repository holds it at one commit. */
export interface StoredPost {
  readonly slug: string;
  readonly revision: string | null;
  readonly entryBlob: string | null;
  readonly htmlBlob: string | null;
}

/** The repository at its head, beside the marks of its copies. */
export interface Comparison {
  readonly head: string;
  /** Up to which commit each copy says it goes; empty for none. */
  readonly heads: Readonly<Record<Copy, string>>;
  readonly posts: ReadonlyMap<string, StoredPost>;
  readonly entries: ReadonlyMap<string, PostEntry>;
  /** Slugs whose entry a copy does not have as the repository does. */
  readonly behind: Readonly<Record<Copy, readonly string[]>>;
  readonly divergences: readonly Divergence[];
}

interface Row {
  readonly slug: string;
  readonly entry_blob: string;
  readonly entry: string;
}

/** Compares the repository with its copies. */
export async function compare({ repository, database }: Stores): Promise<Comparison> {
  // The marks first: the head is then never older than they are.
  const marks = await database
    .prepare('SELECT name, commit_id FROM heads')
    .all<{ name: Copy; commit_id: string }>();
  const heads = { database: '', index: '' };
  for (const { name, commit_id } of marks.results) heads[name] = commit_id;
  const rows = await database.prepare('SELECT slug, entry_blob, entry FROM posts').all<Row>();
  const indexed = await database.prepare('SELECT slug, entry_blob FROM indexed').all<Omit<Row, 'entry'>>();
  const head = await repository.head();
  const posts = postsIn(await repository.tree(head));
  const known = new Map(rows.results.map(({ entry_blob, entry }) => [entry_blob, parseEntry(entry)]));
  const unknown = [...posts.values()].flatMap(({ entryBlob }) =>
    entryBlob === null || known.has(entryBlob) ? [] : [entryBlob],
  );
  const read = await repository.read(unknown);
  const entries = new Map(
    [...posts.values()].flatMap(({ slug, entryBlob }): [string, PostEntry][] => {
      const text = read.get(entryBlob ?? '');
      const entry = known.get(entryBlob ?? '') ?? (text === undefined ? undefined : parseEntry(text));
      return entry === undefined ? [] : [[slug, entry]];
    }),
  );
  const copies = {
    database: new Map(rows.results.map((row) => [row.slug, row.entry_blob])),
    index: new Map(indexed.results.map((row) => [row.slug, row.entry_blob])),
  };
  const behindIn = (copy: ReadonlyMap<string, string>): readonly string[] =>
    [...new Set([...posts.keys(), ...copy.keys()])]
      .filter((slug) => (posts.get(slug)?.entryBlob ?? null) !== (copy.get(slug) ?? null))
      .sort();
  const behind = { database: behindIn(copies.database), index: behindIn(copies.index) };
  const revisionOf = (copy: ReadonlyMap<string, string>, slug: string): string | null =>
    known.get(copy.get(slug) ?? '')?.revision ?? null;
  const divergences: Divergence[] = [
    ...[...posts.values()]
      .filter(({ slug, revision }) => revision !== (entries.get(slug)?.revision ?? null))
      .map(({ slug, revision }) => {
        return { slug, where: 'built' as const, git: revision, copy: entries.get(slug)?.revision ?? null };
      }),
    ...(['database', 'index'] as const).flatMap((where) =>
      behind[where].map((slug) => {
        const git = entries.get(slug)?.revision ?? null;
        return { slug, where, git, copy: revisionOf(copies[where], slug) };
      }),
    ),
  ];
  return { head, heads, posts, entries, behind, divergences };
}

function postsIn(tree: ReadonlyMap<string, string>): ReadonlyMap<string, StoredPost> {
  const slugs = [...tree.keys()].flatMap((path) => {
    const built = /^built\/(.+)\.json$/.exec(path)?.[1];
    return slugOfPath(path) ?? (built === undefined ? null : slugOfPath(`posts/${built}.md`)) ?? [];
  });
  const stored = [...new Set(slugs)].map((slug) => {
    const { markdown, entry, html } = pathsOf(slug);
    const at = (path: string): string | null => tree.get(path) ?? null;
    return { slug, revision: at(markdown), entryBlob: at(entry), htmlBlob: at(html) };
  });
  return new Map(stored.map((post) => [post.slug, post]));
}
