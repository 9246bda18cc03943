import { type Problem, placesIn } from './problem.ts';
import { type ReadPost, readPost } from './read-post.ts';
import { slugProblem } from './slug.ts';
import { findWideDashes } from './wide-dash.ts';

/** The most bytes of UTF-8 that a post may have. What is built from it must fit into one row of D1, 2 MB. */
export const POST_LIMIT = 262_144;

/** What the gates say of a post. */
export type Judgement =
  | { readonly kind: 'passed'; readonly post: ReadPost }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

const MOST_PROBLEMS = 50;

/** Judges a slug and a post by every gate. Says every place that is wrong, up to fifty, in order. */
export function judgePost(slug: string, markdown: string): Judgement {
  const named = slugProblem(slug);
  const problems: Problem[] = named === null ? [] : [named];
  const size = sizeProblem(markdown);
  // What is far too large is not looked at more closely.
  if (size !== null) return { kind: 'refused', problems: [...problems, size] };
  const post = readPost(markdown);
  problems.push(...inMarkdown(markdown, post));
  if (post.kind === 'read' && problems.length === 0) return { kind: 'passed', post };
  problems.sort(
    (a, b) => Number(b.in === 'slug') - Number(a.in === 'slug') || a.line - b.line || a.column - b.column,
  );
  return { kind: 'refused', problems: problems.slice(0, MOST_PROBLEMS) };
}

function inMarkdown(markdown: string, post: ReturnType<typeof readPost>): readonly Problem[] {
  const placeOf = placesIn(markdown);
  const at = (rule: Problem['rule'], offset: number, message: string): Problem => {
    return { rule, in: 'markdown', ...placeOf(offset), message };
  };
  const encoding = encodingFaults(markdown).map(({ offset, what }) => at('encoding', offset, what));
  const dashes = findWideDashes(markdown);
  // A text whose escapes spell a dash shows none in the source.
  const texts = post.kind === 'read' ? post.texts : [];
  const escaped = texts.flatMap(({ text, offset, end }) => {
    const shown = dashes.some((dash) => dash.offset >= offset && dash.offset < end);
    return shown ? [] : findWideDashes(text).map(({ name }) => ({ name, offset }));
  });
  const wide = [...dashes, ...escaped].map(({ offset, name }) =>
    at('wide-dash', offset, `This is ${name}. Use a comma, a full stop, brackets or a hyphen.`),
  );
  const empty =
    post.kind === 'read' && post.body.trim() === ''
      ? [at('body', markdown.length, 'There is no text below the front matter. Write some.')]
      : [];
  return [...(post.kind === 'unreadable' ? post.problems : []), ...encoding, ...wide, ...empty];
}

function sizeProblem(markdown: string): Problem | null {
  const bytes = new TextEncoder().encode(markdown).length;
  if (bytes <= POST_LIMIT) return null;
  const kept = new TextDecoder().decode(new TextEncoder().encode(markdown).subarray(0, POST_LIMIT));
  return {
    rule: 'size',
    in: 'markdown',
    ...placesIn(markdown)(kept.length),
    message: `The post has ${bytes} bytes; from here on it is over the ${POST_LIMIT} that are allowed. Shorten it, or make it two posts.`,
  };
}

// Characters that no editor shows, or that UTF-8 cannot carry.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\r|[\uFEFF\uFFFE\uFFFF]|[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]|[\u202D\u202E]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

function encodingFaults(markdown: string): readonly { readonly offset: number; readonly what: string }[] {
  return [...markdown.matchAll(HIDDEN)].map(({ 0: found, index }) => ({
    offset: index,
    what: nameOf(found),
  }));
}

function nameOf(character: string): string {
  if (character === '\r') return 'This line ends with a carriage return. End lines with a line feed alone.';
  if (character === '\uFEFF') return 'There is a byte-order mark here. Take it away.';
  if (character >= '\uD800' && character <= '\uDFFF')
    return 'Half of a character stands here. Write the whole one.';
  return `An invisible control character stands here (U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}). Take it away.`;
}
