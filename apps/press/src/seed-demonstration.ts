import { readFileSync } from 'node:fs';
import { readPost } from './gates/read-post.ts';
import { bringUpToDate } from './posts/bring-up-to-date.ts';
import { buildPost } from './posts/build-post.ts';
import { slugOfPath } from './posts/entry.ts';
import type { Parts } from './posts/parts.ts';

const SLUGS = ['the-bell-buoy', 'how-the-tide-table-is-made', 'fog-on-the-causeway', 'winter-opening-hours'];

/** Fills a repository without any post with a small made-up site, in one commit. False where there are posts, or were. */
export async function seedDemonstration(parts: Parts): Promise<boolean> {
  const { repository, now } = parts;
  const head = await repository.head();
  const isNew = (await repository.log({ until: head, limit: 2 })).length === 1;
  const hasPosts = [...(await repository.tree(head)).keys()].some((path) => slugOfPath(path) !== null);
  if (!isNew || hasPosts) return false;
  const at = now();
  const files = SLUGS.flatMap((slug) => {
    const markdown = readFileSync(new URL(`../demonstration/${slug}.md`, import.meta.url), 'utf8');
    const post = readPost(markdown);
    if (post.kind === 'unreadable') throw new Error(`the demonstration's ${slug} cannot be read`);
    const live = { at: new Date(at).toISOString(), by: 'admin' as const };
    const firstPublished = post.frontMatter.status === 'published' ? live : null;
    return [...buildPost(slug, markdown, post, { firstPublished, at }).files];
  });
  const message = 'Seed the demonstration, which is fiction [press]\n';
  const outcome = await repository.commit({
    parent: head,
    files: new Map(files),
    message,
    author: 'press',
    at,
  });
  if (outcome.kind === 'stale') return false;
  await bringUpToDate(parts);
  return true;
}
