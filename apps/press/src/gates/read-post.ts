import { readFence } from './fence.ts';
import { type FrontMatter, type FrontMatterText, readFrontMatter } from './front-matter.ts';
import { type Problem, placesIn } from './problem.ts';

/** A post that can be read, whether or not it passes the gates. */
export interface ReadPost {
  readonly kind: 'read';
  readonly frontMatter: FrontMatter;
  readonly body: string;
  /** Where the body starts in the whole text. */
  readonly bodyStart: number;
  /** Texts of the front matter, escapes resolved, at offsets in the whole text. */
  readonly texts: readonly FrontMatterText[];
  /** The same post with another status; every other character stays. */
  withStatus(status: FrontMatter['status']): string;
}

/** A post that cannot be read, and every place that says why. */
export interface UnreadablePost {
  readonly kind: 'unreadable';
  readonly problems: readonly Problem[];
}

/** Reads a post: its fence and its front matter. */
export function readPost(markdown: string): ReadPost | UnreadablePost {
  const placeOf = placesIn(markdown);
  const fence = readFence(markdown);
  if (fence.kind === 'unfenced') {
    const { offset, message } = fence;
    return { kind: 'unreadable', problems: [{ rule: 'fence', in: 'markdown', ...placeOf(offset), message }] };
  }
  const { yaml, yamlStart, body, bodyStart } = fence;
  const outcome = readFrontMatter(yaml);
  if (outcome.kind === 'faulty') {
    const problems = outcome.faults.map(({ rule, offset, message }): Problem => {
      return { rule, in: 'markdown', ...placeOf(yamlStart + offset), message };
    });
    return { kind: 'unreadable', problems };
  }
  const { frontMatter, texts, status } = outcome;
  return {
    kind: 'read',
    frontMatter,
    body,
    bodyStart,
    texts: texts.map(({ text, offset, end }) => ({ text, offset: yamlStart + offset, end: yamlStart + end })),
    withStatus: (next) =>
      markdown.slice(0, yamlStart + status.start) + next + markdown.slice(yamlStart + status.end),
  };
}
