import {
  childrenOf,
  isNode,
  listFiles,
  literal,
  parse,
  readModules,
  type SyntaxNode,
} from '../house/source-tree.ts';

const FOLDER = 'apps/unsay/src/domain';

/**
 * What the domain of the product has names for: what its modules declare, and the schemes, audiences, scopes,
 * subjects, topics and other names that its texts are, URIs taken apart.
 */
export function namesOfTheDomain(): readonly string[] {
  const paths = new Set(listFiles(FOLDER).filter((path) => !path.endsWith('.test.ts')));
  const modules = readModules()
    .filter(({ path }) => paths.has(path))
    .map(parse);
  if (modules.length === 0) throw new Error('the domain of the product has no module');
  return [...new Set(modules.flatMap((module) => [...declared(module), ...named(module)]))].sort();
}

function declared(module: SyntaxNode): string[] {
  const statements = Array.isArray(module.body) ? module.body.filter(isNode) : [];
  return statements
    .map((statement) => (isNode(statement.declaration) ? statement.declaration : statement))
    .flatMap((declaration) =>
      Array.isArray(declaration.declarations) ? declaration.declarations.filter(isNode) : [declaration],
    )
    .flatMap(({ id }) => (isNode(id) ? [String(id.name)] : []));
}

// Texts of the language name nothing: modules, types, and what `typeof` gives.
function saysNothing(node: SyntaxNode): boolean {
  const left = node.type === 'BinaryExpression' && isNode(node.left) ? node.left : null;
  return ['ImportDeclaration', 'TSLiteralType'].includes(node.type) || left?.operator === 'typeof';
}

function named(node: SyntaxNode): string[] {
  if (saysNothing(node)) return [];
  const text = literal(node);
  const own = text !== undefined && /^[\w.:/-]+$/.test(text) ? text.split(/:\/\/|\//) : [];
  return [...own, ...childrenOf(node).flatMap(named)].filter((name) => name.length > 1);
}
