/** The closed list of rules that a post can break. */
export const RULES = {
  slug: 'A slug has lower-case letters a to z, digits and single hyphens between them, 80 at most.',
  size: 'A post is at most 262144 bytes of UTF-8.',
  encoding:
    'A post is text without control characters, byte-order mark, carriage returns or halves of characters.',
  fence: 'A post starts with a line ---, then YAML, then a line ---.',
  yaml: 'Front matter is plain YAML 1.2: no tags, anchors, aliases or second document, and each key once.',
  'front-matter': 'Front matter has title, date and status, and may have summary and tags, each of its kind.',
  'wide-dash': 'A post has no dash wider than a hyphen, not even spelled as a reference or an escape.',
  body: 'A post has text below its front matter.',
} as const;

/** The name of a rule. */
export type Rule = keyof typeof RULES;

/** One place where a post breaks a rule. */
export interface Problem {
  readonly rule: Rule;
  /** What the line and the column count in. */
  readonly in: 'slug' | 'markdown';
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units, as editors count. */
  readonly column: number;
  /** What is wrong there and how to mend it. */
  readonly message: string;
}

/** Finds line and column of places in a text. */
export function placesIn(text: string): (offset: number) => Pick<Problem, 'line' | 'column'> {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
