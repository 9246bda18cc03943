import { isSlug } from '../gates/slug.ts';
import { readMessage } from './commit-message.ts';
import { compare } from './compare.ts';
import { type PostEntry, parseEntry, pathsOf } from './entry.ts';
import type { Stores } from './parts.ts';

/** A page of entries, ordered by slug. */
export interface EntryPage {
  readonly posts: readonly PostEntry[];
  /** The slug after which the next page starts; null when this was the last. */
  readonly next: string | null;
}

/** Entries as the repository has them, whatever its copies say. */
export async function listPosts(
  parts: Stores,
  {
    status,
    after = '',
    limit,
  }: { readonly status?: PostEntry['status']; readonly after?: string; readonly limit: number },
): Promise<EntryPage> {
  const { entries } = await compare(parts);
  const found = [...entries.values()]
    .filter((entry) => entry.slug > after && (status === undefined || entry.status === status))
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
  const posts = found.slice(0, limit);
  return { posts, next: found.length > limit ? (posts.at(-1)?.slug ?? null) : null };
}

/** A post with its text. */
export interface FoundPost {
  readonly slug: string;
  readonly revision: string;
  /** Whether the post is at this revision now. */
  readonly current: boolean;
  readonly markdown: string;
  /** What is built from it; null for an older revision, and where it was changed by other means than Press. */
  readonly entry: PostEntry | null;
}

// How far back an older revision is looked for.
const MOST_REVISIONS = 1000;

/** A post as it is now, or as it was at a revision of its own history; null when there is none. */
export async function getPost(
  { repository }: Stores,
  slug: string,
  revision: string | null,
): Promise<FoundPost | null> {
  if (!isSlug(slug)) return null;
  const paths = pathsOf(slug);
  const head = await repository.head();
  const now = await repository.blobAt(head, paths.markdown);
  const wanted = revision ?? now;
  if (wanted === null) return null;
  if (wanted !== now && !(await wasAt(repository, head, paths.markdown, wanted))) return null;
  const entryBlob = wanted === now ? await repository.blobAt(head, paths.entry) : null;
  const texts = await repository.read([wanted, ...(entryBlob === null ? [] : [entryBlob])]);
  const entryText = texts.get(entryBlob ?? '');
  const entry = entryText === undefined ? null : parseEntry(entryText);
  return {
    slug,
    revision: wanted,
    current: wanted === now,
    markdown: texts.get(wanted) ?? '',
    entry: entry?.revision === wanted ? entry : null,
  };
}

async function wasAt(
  repository: Stores['repository'],
  head: string,
  path: string,
  revision: string,
): Promise<boolean> {
  const commits = await repository.log({ until: head, path, limit: MOST_REVISIONS });
  return commits.some(({ message }) => readMessage(message).revision === revision);
}

/** One change of a post. */
export interface Revision {
  readonly commit: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** `outside` for a commit that was not made by Press. */
  readonly action: 'save' | 'delete' | 'publish' | 'outside';
  readonly label: string;
  /** Null where the post is gone, or where the commit does not say. */
  readonly revision: string | null;
}

/** The changes of a post, newest first; empty where it never was. */
export async function postHistory(
  { repository }: Stores,
  slug: string,
  limit: number,
): Promise<{ readonly revisions: readonly Revision[]; readonly more: boolean }> {
  if (!isSlug(slug)) return { revisions: [], more: false };
  const commits = await repository.log({
    until: await repository.head(),
    path: pathsOf(slug).markdown,
    limit: limit + 1,
  });
  const revisions = commits.slice(0, limit).map(({ commit, at, author, message }): Revision => {
    const { action, label, revision } = readMessage(message);
    const time = new Date(at).toISOString();
    return { commit, at: time, action: action ?? 'outside', label: label ?? author, revision };
  });
  return { revisions, more: commits.length > limit };
}
