import { momentOf } from '../gates/date.ts';
import { readPost } from '../gates/read-post.ts';
import type { Repository } from '../git/repository.ts';
import { buildPost, revisionOf } from './build-post.ts';
import { type PostEntry, parseEntry, pathsOf, slugOfPath } from './entry.ts';

/** Says in which form a repository keeps its posts. */
export const FORMAT_FILE = 'press.json';
const FORMAT = 2;

/** The files of a repository that has no posts yet. */
export const FIRST_FILES: ReadonlyMap<string, string> = new Map([[FORMAT_FILE, formatText()]]);

/** Why a repository cannot be used by this release. */
export class NewerFormat extends Error {
  override readonly name = 'NewerFormat';
}

/**
 * Brings a repository to the present form, in one commit, once.
 *
 * Form 1 is a folder of posts without this file, from before an admin had to publish a post first. Whatever is live
 * in it has been live, so it is stamped as such, and can be taken down and put back.
 *
 * @throws NewerFormat when a later release of Press has used it.
 */
export async function migrateRepository(
  repository: Repository,
  now: () => number,
): Promise<'migrated' | 'current'> {
  for (;;) {
    const head = await repository.head();
    const tree = await repository.tree(head);
    const format = tree.has(FORMAT_FILE) ? await formatIn(repository, tree.get(FORMAT_FILE) ?? '') : 1;
    if (format > FORMAT)
      throw new NewerFormat('The repository was used by a later release of Press. Use that release.');
    if (format === FORMAT) return 'current';
    const files = await migrated(repository, tree);
    const outcome = await repository.commit({
      parent: head,
      files,
      message: 'Stamp posts that were live before an admin had to publish them first [press]\n',
      author: 'press',
      at: now(),
    });
    if (outcome.kind === 'committed') return 'migrated';
  }
}

async function formatIn(repository: Repository, blob: string): Promise<number> {
  const text = (await repository.read([blob])).get(blob) ?? '';
  return Number(JSON.parse(text).format);
}

async function migrated(
  repository: Repository,
  tree: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const slugs = [...tree.keys()].flatMap((path) => slugOfPath(path) ?? []);
  const blobOf = (path: string): string => tree.get(path) ?? '';
  const texts = await repository.read(
    slugs.map(pathsOf).flatMap(({ markdown, entry }) => [blobOf(markdown), blobOf(entry)]),
  );
  const files = slugs.flatMap((slug) => {
    const paths = pathsOf(slug);
    const markdown = texts.get(blobOf(paths.markdown)) ?? '';
    const entry = texts.get(blobOf(paths.entry));
    // Bytes that are not UTF-8 did not survive the reading; such a post is left as it is, too.
    if (revisionOf(markdown) !== blobOf(paths.markdown)) return [];
    return [...built(slug, markdown, entry === undefined ? null : parseEntry(entry))];
  });
  return new Map([[FORMAT_FILE, formatText()], ...files]);
}

/** What is built of a post of old. One that cannot be read is left as it is: the status of Press names it. */
function built(slug: string, markdown: string, entry: PostEntry | null): ReadonlyMap<string, string> {
  const post = readPost(markdown);
  if (post.kind === 'unreadable') return new Map();
  const { status, date } = post.frontMatter;
  const at = momentOf(date);
  const live = { at: new Date(at).toISOString(), by: 'migration' as const };
  const firstPublished = entry?.firstPublished ?? (status === 'published' ? live : null);
  return buildPost(slug, markdown, post, { firstPublished, at }).files;
}

function formatText(): string {
  return `${JSON.stringify({ format: FORMAT })}\n`;
}
