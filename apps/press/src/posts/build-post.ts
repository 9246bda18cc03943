import { createHash } from 'node:crypto';
import type { ReadPost } from '../gates/read-post.ts';
import { type FirstPublished, type PostEntry, pathsOf, serializeEntry } from './entry.ts';
import { renderMarkdown } from './render-markdown.ts';

/** A post and everything that is built from it, as files of one commit. */
export interface BuiltPost {
  readonly entry: PostEntry;
  readonly files: ReadonlyMap<string, string>;
}

/** Builds a post. The same post, saved at the same time, gives the same bytes. */
export function buildPost(
  slug: string,
  markdown: string,
  post: ReadPost,
  { firstPublished, at }: { readonly firstPublished: FirstPublished | null; readonly at: number },
): BuiltPost {
  const paths = pathsOf(slug);
  const updatedAt = new Date(at).toISOString();
  const entry = { ...post.frontMatter, slug, revision: revisionOf(markdown), updatedAt, firstPublished };
  const files = new Map([
    [paths.markdown, markdown],
    [paths.html, renderMarkdown(post.body)],
    [paths.entry, serializeEntry(entry)],
  ]);
  return { entry, files };
}

/** The revision of a text: its id as a git blob, which is SHA-1 over a header and the bytes. */
export function revisionOf(markdown: string): string {
  const bytes = Buffer.from(markdown, 'utf8');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
