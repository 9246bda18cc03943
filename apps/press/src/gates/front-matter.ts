import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, visit } from 'yaml';
import { DATE_MESSAGE, isDate } from './date.ts';

/** What front matter says of a post. */
export interface FrontMatter {
  readonly title: string;
  /** A day, or an instant with its zone; as it was written. */
  readonly date: string;
  readonly status: 'draft' | 'published';
  readonly summary: string;
  readonly tags: readonly string[];
}

/** A fault in front matter, at an offset in its own text. */
export interface FrontMatterFault {
  readonly rule: 'yaml' | 'front-matter';
  readonly offset: number;
  readonly message: string;
}

/** Front matter as it was read, and where each of its texts starts. */
export type FrontMatterOutcome =
  | {
      readonly kind: 'read';
      readonly frontMatter: FrontMatter;
      readonly texts: readonly FrontMatterText[];
      /** Where the value of `status` stands. */
      readonly status: { readonly start: number; readonly end: number };
    }
  | { readonly kind: 'faulty'; readonly faults: readonly FrontMatterFault[] };

/** A text of the front matter, escapes resolved, and where it stands. */
export interface FrontMatterText {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
}

type Check = (value: unknown) => string | null;

const FIELDS: Readonly<Record<string, { readonly required: boolean; readonly check: Check }>> = {
  title: { required: true, check: line('title', 200) },
  date: { required: true, check: (value) => (isDate(value) ? null : DATE_MESSAGE) },
  status: {
    required: true,
    check: (value) => (value === 'draft' || value === 'published' ? null : 'status is draft or published.'),
  },
  summary: { required: false, check: line('summary', 300) },
  tags: { required: false, check: () => null },
};
const FIELD_NAMES = Object.keys(FIELDS).join(', ');
const TAG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MOST_TAGS = 10;

/**
 * Reads the YAML of a post: version 1.2 with its core schema, in which a date, `no` and `012` are never turned into
 * something else behind the writer's back, and of that only plain maps, lists and scalars. Nothing in it can run or
 * multiply: tags, anchors and aliases are refused where they stand.
 */
export function readFrontMatter(yaml: string): FrontMatterOutcome {
  const document = parseDocument(yaml, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    prettyErrors: false,
  });
  const broken = [...document.errors, ...document.warnings].map((error) =>
    fault('yaml', error.pos[0], `This is not YAML: ${firstSentence(error.message)}`),
  );
  if (broken.length > 0) return { kind: 'faulty', faults: broken };
  const clever: FrontMatterFault[] = [];
  const refuse = (node: Node, what: string): void => {
    clever.push(fault('yaml', startOf(node), `Front matter takes no ${what}. Write the value itself.`));
  };
  visit(document, {
    Alias: (_key, node) => refuse(node, 'alias'),
    Node: (_key, node) => {
      if ('anchor' in node && node.anchor !== undefined) refuse(node, 'anchor');
      else if (node.tag !== undefined) refuse(node, 'tag');
    },
  });
  if (clever.length > 0) return { kind: 'faulty', faults: clever };
  return readFields(document.contents);
}

function readFields(contents: Node | null): FrontMatterOutcome {
  if (!isMap(contents))
    return {
      kind: 'faulty',
      faults: [
        fault('front-matter', 0, `Front matter is lines like "title: …". It may have ${FIELD_NAMES}.`),
      ],
    };
  const faults: FrontMatterFault[] = [];
  const found = new Map<string, Scalar>();
  const tags: Scalar[] = [];
  for (const { key, value } of contents.items) {
    const name = isScalar(key) && typeof key.value === 'string' ? key.value : '';
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    const at = startOf(value ?? key);
    if (field === undefined) {
      faults.push(
        fault('front-matter', startOf(key), `There is no such field. Front matter may have ${FIELD_NAMES}.`),
      );
    } else if (name === 'tags') {
      const items = isSeq(value) ? value.items : [];
      tags.push(...items.filter((item) => isScalar(item)));
      faults.push(...tagFaults(value, items, at));
    } else {
      const problem = isScalar(value)
        ? field.check(value.value)
        : `${name} is one value, not a list or a map.`;
      if (problem !== null) faults.push(fault('front-matter', at, problem));
      if (isScalar(value)) found.set(name, value);
    }
  }
  for (const [name, { required }] of Object.entries(FIELDS)) {
    if (required && !contents.has(name)) faults.push(fault('front-matter', 0, `${name} is missing. Add it.`));
  }
  return faults.length > 0 ? { kind: 'faulty', faults } : read(found, tags);
}

function read(found: ReadonlyMap<string, Scalar>, tags: readonly Scalar[]): FrontMatterOutcome {
  const text = (name: string): string => String(found.get(name)?.value ?? '');
  const scalars = [...found.values(), ...tags];
  const [start = 0, end = 0] = found.get('status')?.range ?? [];
  return {
    kind: 'read',
    frontMatter: {
      title: text('title'),
      date: text('date'),
      status: text('status') === 'published' ? 'published' : 'draft',
      summary: text('summary'),
      tags: tags.map(({ value }) => String(value)),
    },
    texts: scalars.map(({ value, range }) => {
      const [offset = 0, end = 0] = range ?? [];
      return { text: String(value), offset, end };
    }),
    status: { start, end },
  };
}

function tagFaults(value: unknown, items: readonly unknown[], at: number): readonly FrontMatterFault[] {
  if (!isSeq(value)) return [fault('front-matter', at, 'tags is a list, like [tides, fog].')];
  if (items.length > MOST_TAGS) return [fault('front-matter', at, `There are at most ${MOST_TAGS} tags.`)];
  const wrong = items.filter(
    (item) =>
      !(isScalar(item) && typeof item.value === 'string' && TAG.test(item.value) && item.value.length <= 40),
  );
  return wrong.map((item) =>
    fault(
      'front-matter',
      startOf(item),
      'A tag is text of lower-case letters, digits and hyphens, 40 at most; put one that is a number in quotes.',
    ),
  );
}

/** A text of one line. */
function line(name: string, most: number): Check {
  return (value) => {
    if (typeof value !== 'string')
      return `${name} is text, and this is read as something else. Put it in quotes.`;
    if (value.trim() === '') return `${name} is empty. Write it.`;
    if (/[\r\n\u0085\u2028\u2029]/.test(value)) return `${name} is one line. Write it on one.`;
    return value.length > most ? `${name} has ${value.length} characters. Use ${most} at most.` : null;
  };
}

function fault(rule: FrontMatterFault['rule'], offset: number, message: string): FrontMatterFault {
  return { rule, offset, message };
}

function startOf(node: unknown): number {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}

function firstSentence(message: string): string {
  const line = message.split('\n')[0] ?? '';
  return line.endsWith('.') ? line : `${line}.`;
}
