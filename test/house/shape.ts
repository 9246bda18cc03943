import { posix } from 'node:path';
import { childrenOf, lineAt, parse, type SourceFile } from './source-tree.ts';

const MOST_LINES = 400;

/** Names that say nothing about what is inside, for a file or a folder. */
const EMPTY_NAMES = new Set([
  'utils',
  'util',
  'common',
  'core',
  'types',
  'helpers',
  'helper',
  'misc',
  'shared',
]);

/** Everything about the shape of the modules that a newcomer would trip over. Throws where there are none. */
export function findMisshapen(modules: readonly SourceFile[]): readonly string[] {
  if (modules.length === 0) throw new Error('the shape gate saw no module at all');
  return modules.flatMap((module) => [
    ...emptyNames(module),
    ...length(module),
    ...exportsOfEverything(module),
  ]);
}

function emptyNames({ path }: SourceFile): readonly string[] {
  const names = [...posix.dirname(path).split('/'), posix.basename(path).replace(/\..*$/, '')];
  return names.filter((name) => EMPTY_NAMES.has(name)).map((name) => `${path}: "${name}" says nothing`);
}

function length({ path, text }: SourceFile): readonly string[] {
  const lines = lineAt(text.trimEnd(), Number.POSITIVE_INFINITY);
  return lines > MOST_LINES ? [`${path}: ${lines} lines, at most ${MOST_LINES}`] : [];
}

function exportsOfEverything(module: SourceFile): readonly string[] {
  return childrenOf(parse(module))
    .filter(({ type }) => type === 'ExportAllDeclaration')
    .map(({ start }) => `${module.path}:${lineAt(module.text, start)}: export * hides what is exported`);
}
