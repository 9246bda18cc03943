import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import {
  childrenOf,
  isNode,
  listFiles,
  literal,
  parse,
  ROOT,
  readModules,
  type SourceFile,
  type SyntaxNode,
} from './source-tree.ts';
import { workspaceOf } from './workspaces.ts';

/** A module that others import by the name of its package, and what can be seen of it from outside. */
export interface Face {
  /** The modules of the package; the first one is what others import. */
  readonly modules: readonly SourceFile[];
  /** Names that others import from the package. */
  readonly imported: ReadonlySet<string>;
}

/** One name that the package exports. */
export interface ExportedName {
  readonly name: string;
  /** Whether a comment says what it is. */
  readonly documented: boolean;
  /** Names of the package's own types that its signature mentions. */
  readonly mentions: readonly string[];
}

/** Everything that the first module exports, in order. */
export function exportsOf({ modules }: Face): readonly ExportedName[] {
  const [index] = modules;
  if (index === undefined) throw new Error('the public face has no module');
  const declarations = new Map(modules.map((module) => [module.path, declarationsIn(module)]));
  const own = new Set([...declarations.values()].flatMap((names) => [...names.keys()]));
  return exportedBy(index).map(({ name, path }) => {
    const declaration = declarations.get(path)?.get(name);
    if (declaration === undefined) throw new Error(`${path} does not declare ${name}`);
    const mentions = [...new Set(typesIn(declaration.node))].filter((type) => own.has(type) && type !== name);
    return { name, documented: declaration.documented, mentions };
  });
}

/** Exports that nobody outside imports, and that no signature of one that is imported mentions. */
export function unusedExports(face: Face): readonly string[] {
  const exported = new Map(exportsOf(face).map((each) => [each.name, each]));
  const used = new Set<string>();
  const use = (name: string): void => {
    if (!exported.has(name) || used.has(name)) return;
    used.add(name);
    exported.get(name)?.mentions.forEach(use);
  };
  face.imported.forEach(use);
  return [...exported.keys()].filter((name) => !used.has(name));
}

/** Types that a signature mentions and that nobody outside can name, by this face or by another of its package. */
export function hiddenTypes(face: Face, others: readonly Face[] = []): readonly string[] {
  const exported = exportsOf(face);
  const names = new Set([face, ...others].flatMap((each) => exportsOf(each).map(({ name }) => name)));
  return [...new Set(exported.flatMap(({ mentions }) => mentions))].filter((type) => !names.has(type)).sort();
}

/** The face that `index` is, as it stands: the modules of its workspace, and what others import, guides included. */
export function readFace(index: string, specifier: string): Face {
  const all = readModules();
  const { folder } = workspaceOf(index);
  const own = all.filter(({ path }) => path.startsWith(`${folder}/src/`) && !path.endsWith('.test.ts'));
  const modules = [...own.filter(({ path }) => path === index), ...own.filter(({ path }) => path !== index)];
  const others = [...all.filter(({ path }) => !path.startsWith(`${folder}/`)), ...readGuides()];
  return { modules, imported: new Set(others.flatMap((module) => importedFrom(module, specifier))) };
}

function readGuides(): readonly SourceFile[] {
  return listFiles('docs/guides').map((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const code = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, body]) => body ?? '');
    return { path: `${page}.ts`, text: code.join('\n') };
  });
}

/** Names that a module imports by a specifier, type-only ones included. */
export function importedFrom(module: SourceFile, specifier: string): readonly string[] {
  if (!module.text.includes(specifier)) return [];
  return statementsOf(parse(module))
    .filter(({ source }) => isNode(source) && literal(source) === specifier)
    .flatMap(({ specifiers }) => (Array.isArray(specifiers) ? specifiers.filter(isNode) : []))
    .map(({ imported, local }) => nameOf(imported ?? local));
}

function exportedBy(index: SourceFile): readonly { readonly name: string; readonly path: string }[] {
  return statementsOf(parse(index)).flatMap(({ type, source, specifiers }) => {
    const from = isNode(source) ? literal(source) : undefined;
    if (type !== 'ExportNamedDeclaration' || from === undefined || !Array.isArray(specifiers))
      throw new Error(`${index.path} does more than to export from other modules`);
    const path = posix.join(posix.dirname(index.path), from);
    return specifiers.filter(isNode).map(({ local }) => ({ name: nameOf(local), path }));
  });
}

interface Declaration {
  readonly node: SyntaxNode;
  readonly documented: boolean;
}

/** What a module exports, by name. */
function declarationsIn(module: SourceFile): ReadonlyMap<string, Declaration> {
  const found = statementsOf(parse(module)).flatMap((statement): [string, Declaration][] => {
    const { declaration, start } = statement;
    if (!isNode(declaration)) return [];
    const documented = /\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/.test(module.text.slice(0, start));
    const named = Array.isArray(declaration.declarations)
      ? declaration.declarations.filter(isNode)
      : [declaration];
    return named.map((node) => [nameOf(node.id), { node, documented }]);
  });
  return new Map(found);
}

/** Names of types that whoever uses a signature needs: not those of a function's inside, nor of what has a default. */
function typesIn(node: SyntaxNode): readonly string[] {
  if (node.type === 'BlockStatement' || node.type === 'AssignmentPattern') return [];
  const own = node.type === 'TSTypeReference' ? [nameOf(node.typeName)] : [];
  const parent = node.type === 'TSInterfaceHeritage' ? [nameOf(node.expression)] : [];
  return [...own, ...parent, ...childrenOf(node).flatMap(typesIn)];
}

function statementsOf(program: SyntaxNode): readonly SyntaxNode[] {
  return Array.isArray(program.body) ? program.body.filter(isNode) : [];
}

function nameOf(node: unknown): string {
  return isNode(node) ? String(node.name ?? node.value) : '';
}
