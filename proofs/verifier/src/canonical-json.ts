/** Any value that JSON has. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

// More than anything in an export nests; a file that nests without end must not exhaust the stack.
const DEEPEST = 8;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

/**
 * The canonical form of RFC 8785.
 *
 * @throws Error for what has none: a lone surrogate, a number that is not finite; and for what nests deeper
 *   than anything that this program reads.
 */
export function canonicalJson(value: Json): string {
  return write(value, 0);
}

function write(value: Json, depth: number): string {
  if (depth > DEEPEST) throw new Error('it nests too deeply');
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'string') return writeString(value);
  if (isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  // Section 3.2.3: names are ordered by their UTF-16 code units, which is how `<` compares.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${writeString(name)}:${write(member, depth + 1)}`).join(',')}}`;
}

// Section 3.2.2.3 takes over how ECMAScript writes a number; -0 is written 0 there.
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error('a number that JSON cannot express');
  return String(value);
}

// Section 3.2.2.2: control characters, quotation mark and backslash are escaped, and nothing else.
function writeString(text: string): string {
  if (!text.isWellFormed()) throw new Error('a lone surrogate has no canonical form');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are escaped.
  return `"${text.replace(/[\u0000-\u001f"\\]/g, escapeOf)}"`;
}

function escapeOf(character: string): string {
  const short = SHORT_ESCAPES.get(character);
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

// Array.isArray does not narrow a readonly array away.
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
