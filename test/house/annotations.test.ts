import { describe, expect, it } from 'vitest';
import {
  childrenOf,
  isNode,
  lineAt,
  literal,
  parse,
  readModules,
  type SourceFile,
  type SyntaxNode,
} from './source-tree.ts';
import { isShipped } from './workspaces.ts';

const NAME = 'annotations';

/**
 * Where a module reads an annotation. They are hints for hosts, written and never read: no decision may rest on
 * one, and what is not read cannot decide.
 */
function readsIn(file: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (isRead(node)) found.push(`${file.path}:${lineAt(file.text, node.start)}`);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parse(file));
  return found;
}

function isRead(node: SyntaxNode): boolean {
  if (node.type === 'MemberExpression') return isNode(node.property) && names(node.property);
  if (node.type === 'BinaryExpression')
    return node.operator === 'in' && isNode(node.left) && names(node.left);
  if (node.type !== 'ObjectPattern' || !Array.isArray(node.properties)) return false;
  return node.properties.some(({ key }: { key?: unknown }) => isNode(key) && names(key));
}

function names(node: SyntaxNode): boolean {
  return node.name === NAME || literal(node) === NAME;
}

describe('annotations', () => {
  it('are read by no shipped module', () => {
    const modules = readModules().filter(({ path }) => isShipped(path));
    expect(modules.length).toBeGreaterThan(100);
    expect(modules.some(({ text }) => text.includes(NAME))).toBe(true);
    expect(modules.flatMap(readsIn)).toEqual([]);
  });

  it.each([
    'if (entry.annotations.audience[0] === "user") speak(entry);',
    'const hints = entry?.annotations;',
    'const hints = entry["annotations"];',
    'const { annotations } = entry;',
    'const { annotations: { audience } } = entry;',
    'function f({ annotations }) { return annotations; }',
    'if ("annotations" in entry) speak(entry);',
  ])('would be found here: %s', (text) => {
    expect(readsIn({ path: 'packages/mcp/src/planted.ts', text })).toEqual(['packages/mcp/src/planted.ts:1']);
  });

  it('may be written', () => {
    const text =
      'const annotations = hints(fact); emit({ annotations }); emit({ annotations: hints(fact) });';
    expect(readsIn({ path: 'packages/mcp/src/planted.ts', text })).toEqual([]);
  });
});
