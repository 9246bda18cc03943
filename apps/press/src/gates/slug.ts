import type { Problem } from './problem.ts';

const MOST = 80;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a text is a slug: the name of a post in its address, its files and its history. */
export function isSlug(text: string): boolean {
  return text.length <= MOST && SLUG.test(text);
}

/** What is wrong with a slug, at its first wrong character; null when nothing is. */
export function slugProblem(slug: string): Problem | null {
  if (isSlug(slug)) return null;
  const good = /^(?:[a-z0-9]+(?:-(?=[a-z0-9]))?)*/.exec(slug)?.[0].length ?? 0;
  const tooLong = good >= MOST && slug.length > MOST;
  const column = (tooLong ? MOST : Math.min(good, Math.max(slug.length - 1, 0))) + 1;
  const what = tooLong
    ? `The slug has ${slug.length} characters`
    : 'This character cannot stand here in a slug';
  return {
    rule: 'slug',
    in: 'slug',
    line: 1,
    column,
    message: `${what}. Use lower-case letters a to z, digits and single hyphens between them, ${MOST} characters at most.`,
  };
}
