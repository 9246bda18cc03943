import type { FrontMatter } from '../gates/front-matter.ts';
import type { PostEntry } from './entry.ts';
import type { Actor } from './parts.ts';

/**
 * The rule of first publication: a post goes live for the first time when an admin says so. Once it has been live,
 * anybody who may save may take it down and put it back. A post that is deleted starts anew.
 *
 * Decided by what Press itself recorded of the post, and by nothing that stands in it.
 */
export function needsAdmin(
  status: FrontMatter['status'],
  entry: Pick<PostEntry, 'firstPublished'> | undefined,
  { role }: Pick<Actor, 'role'>,
): boolean {
  return status === 'published' && (entry?.firstPublished ?? null) === null && role !== 'admin';
}
