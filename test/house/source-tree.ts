import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { parseSync } from 'vite';

/** Root of the clone. */
export const ROOT = resolve(import.meta.dirname, '../..');

const MODULE = /\.[cm]?[jt]sx?$/;
/** What git ignores: anywhere, and at the root only. */
const IGNORED = new Set(['node_modules', '.git', '.tsbuild', 'dist', 'coverage']);
const IGNORED_AT_ROOT = new Set(['data', 'data-press', 'data-probe', 'test-output']);

/** A source file: its path from the root with `/` between folders, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript and JavaScript module of the house, generated and installed ones left out. */
export function readModules(): readonly SourceFile[] {
  return listFiles()
    .filter((path) => MODULE.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Paths from the root of every file that belongs to the house. */
export function listFiles(folder = ''): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED.has(entry.name) || (folder === '' && IGNORED_AT_ROOT.has(entry.name))) return [];
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The syntax tree of a module. Throws where it does not parse: a gate that cannot read a file must not pass it. */
export function parse(file: SourceFile): SyntaxNode {
  const { program, errors } = parseSync(file.path, file.text);
  const [first] = errors;
  if (first !== undefined) throw new Error(`${file.path} does not parse: ${first.message}`);
  return program as unknown as SyntaxNode;
}

/** A node of the syntax tree (ESTree with TypeScript's nodes); its fields are read by name. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Whether a field of a node holds a node. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes directly below a node, in source order. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flat().filter(isNode);
}

/** The text of a string literal, or of a template without placeholders. */
export function literal(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  const quasis = node.quasis;
  if (node.type !== 'TemplateLiteral' || !Array.isArray(quasis) || quasis.length !== 1) return undefined;
  return String(quasis[0].value.cooked);
}

/** The line, from 1, that a place in a text is on. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
