import { compare, type Divergence } from './compare.ts';
import type { Stores } from './parts.ts';

/** Whether the repository and its copies agree, and what to do where they do not. */
export interface PostStatus {
  readonly message: string;
  readonly inSync: boolean;
  /** Commits: the head, and up to which one each copy goes; null for none. */
  readonly git: string;
  readonly database: string | null;
  readonly index: string | null;
  readonly posts: { readonly published: number; readonly drafts: number };
  readonly divergences: readonly Divergence[];
}

/** Looks, and changes nothing. */
export async function postStatus(stores: Stores): Promise<PostStatus> {
  const { head, heads, entries, divergences } = await compare(stores);
  const isCurrent = heads.database === head && heads.index === head;
  const inSync = isCurrent && divergences.length === 0;
  const published = [...entries.values()].filter(({ status }) => status === 'published').length;
  return {
    message: messageFor(inSync, divergences),
    inSync,
    git: head,
    database: heads.database || null,
    index: heads.index || null,
    posts: { published, drafts: entries.size - published },
    divergences,
  };
}

function messageFor(inSync: boolean, divergences: readonly Divergence[]): string {
  if (inSync) return 'Repository, database and search index agree.';
  const outside = divergences.filter(({ where }) => where === 'built').map(({ slug }) => slug);
  const late = [...new Set(divergences.filter(({ where }) => where !== 'built').map(({ slug }) => slug))];
  return [
    outside.length === 0
      ? ''
      : `Not built from their Markdown, which was changed by other means than Press: ${outside.join(', ')}. Use get and save to bring them in.`,
    late.length === 0
      ? ''
      : `Committed, but not yet in the database or the search index: ${late.join(', ')}. Send the save or delete that was not answered again, with its idempotencyKey, or let an admin run: press sync.`,
    outside.length + late.length === 0
      ? 'The repository has commits that the database and the search index have not; no post differs. The next save takes note of them, or an admin runs: press sync.'
      : '',
  ]
    .filter(Boolean)
    .join(' ');
}
