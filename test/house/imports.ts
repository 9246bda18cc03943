import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import {
  childrenOf,
  isNode,
  lineAt,
  literal,
  parse,
  type SourceFile,
  type SyntaxNode,
} from './source-tree.ts';

/** What an import names. */
export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'builtin'; readonly name: string }
  | { readonly kind: 'package'; readonly name: string; readonly subpath: string }
  | { readonly kind: 'computed' };

/** One import, re-export, dynamic import, `require` or type import of a module. */
export interface Import {
  readonly from: string;
  readonly line: number;
  readonly specifier: string;
  readonly target: Target;
}

/** Every way in which a module names another, type-only ones included. */
export function importsOf(file: SourceFile): readonly Import[] {
  return sourcesIn(parse(file)).map((source) => {
    const specifier = literal(source);
    return {
      from: file.path,
      line: lineAt(file.text, source.start),
      specifier: specifier ?? '(computed)',
      target: specifier === undefined ? { kind: 'computed' } : targetOf(file.path, specifier),
    };
  });
}

function sourcesIn(node: SyntaxNode): readonly SyntaxNode[] {
  const own = sourceNamedBy(node);
  return [...(own === undefined ? [] : [own]), ...childrenOf(node).flatMap(sourcesIn)];
}

function sourceNamedBy(node: SyntaxNode): SyntaxNode | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return isNode(node.source) ? node.source : undefined;
    case 'TSExternalModuleReference':
      return isNode(node.expression) ? node.expression : undefined;
    case 'CallExpression':
      return loads(node.callee) ? firstArgument(node) : undefined;
    default:
      return undefined;
  }
}

/** `require(…)`, however it was made, `….resolve(…)` of it or of `import.meta`, and `getBuiltinModule(…)`. */
function loads(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee.type === 'Identifier') return callee.name === 'require' || callee.name === 'getBuiltinModule';
  if (callee.type !== 'MemberExpression') return false;
  const { object, property } = callee;
  const name = isNode(property) ? property.name : undefined;
  if (name === 'getBuiltinModule' || name === 'require') return true;
  return (
    name === 'resolve' && isNode(object) && (object.type === 'MetaProperty' || object.name === 'require')
  );
}

function firstArgument(call: SyntaxNode): SyntaxNode | undefined {
  const [first] = Array.isArray(call.arguments) ? call.arguments : [];
  return isNode(first) ? first : undefined;
}

function targetOf(from: string, specifier: string): Target {
  if (/^\.{1,2}(\/|$)/.test(specifier)) {
    return { kind: 'file', path: posix.join(posix.dirname(from), specifier.replace(/[?#].*$/, '')) };
  }
  // An absolute path or a file address points out of every workspace, wherever it leads.
  if (/^(\/|file:)/.test(specifier)) return { kind: 'file', path: posix.join('..', specifier) };
  if (specifier.startsWith('node:') && isBuiltin(specifier)) return { kind: 'builtin', name: specifier };
  const parts = specifier.split('/');
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  return {
    kind: 'package',
    name,
    subpath: ['.', specifier.slice(name.length + 1)].filter(Boolean).join('/'),
  };
}
