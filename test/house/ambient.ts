import {
  childrenOf,
  isNode,
  lineAt,
  literal,
  parse,
  type SourceFile,
  type SyntaxNode,
} from './source-tree.ts';
import { isShipped } from './workspaces.ts';

/** A place where a module takes time or chance from its surroundings instead of being given it. */
export interface Ambient {
  readonly where: string;
  readonly what: string;
}

/** The one module of each app that makes the clock and the randomness that all others are given. */
const SOURCES_OF_BOTH = new Set([
  'apps/unsay/src/main.ts',
  'apps/probe/src/main.ts',
  'apps/press/src/main.ts',
]);

/** Names that say what they do: nobody may mention one, whatever object it is taken from. */
const NAMES = new Set([
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'getRandomValues',
  'hrtime',
  'performance',
  'Temporal',
]);

/**
 * Globals that may be used only by a member's name, and which members that may be. Used in any other way (given to
 * another name, taken apart, passed on, indexed by a computed key) what is done with them could not be followed.
 */
const GLOBALS: ReadonlyMap<string, (member: string) => boolean> = new Map<
  string,
  (member: string) => boolean
>([
  ['Date', (member) => member === 'parse' || member === 'UTC'],
  ['Math', (member) => member !== 'random'],
  ['globalThis', () => true],
  ['global', () => true],
  ['eval', () => false],
  ['Function', () => false],
]);

/** Objects that hold some of `NAMES`, and so may not be indexed by a computed key. */
const HOLDERS = new Set(['crypto', 'webcrypto', 'process']);

/** Other syntax of TypeScript's own names things without using them; these wrap a value that is used. */
const WRAPPERS = new Set([
  'ParenthesizedExpression',
  'ChainExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
]);

/** Modules that the gate judges: shipped code on the server, all but the source of clock and randomness. */
export function isJudged(path: string): boolean {
  return isShipped(path) && /^(packages|apps|proofs)\/[^/]+\/src\//.test(path) && !SOURCES_OF_BOTH.has(path);
}

/** Every reach for ambient time or randomness in the judged modules. Throws where none was judged. */
export function findAmbient(modules: readonly SourceFile[]): readonly Ambient[] {
  const judged = modules.filter(({ path }) => isJudged(path));
  if (judged.length === 0) throw new Error('the clock and randomness gate saw no module at all');
  return judged.flatMap((file) => {
    const found: Ambient[] = [];
    visit(parse(file), (node, what) => {
      found.push({ where: `${file.path}:${lineAt(file.text, node.start)}`, what });
    });
    return found;
  });
}

type Report = (node: SyntaxNode, what: string) => void;

type Visitor = (node: SyntaxNode, report: Report) => void;

/** Syntax that decides what a name in it means; all other syntax is the sum of its parts. */
const VISITORS: ReadonlyMap<string, Visitor> = new Map<string, Visitor>([
  ['Identifier', (node, report) => visitName(node, String(node.name), report)],
  ['MemberExpression', visitMember],
  ['NewExpression', visitNew],
  ['BinaryExpression', visitBinary],
  ['Property', visitKeyed],
  ['MethodDefinition', visitKeyed],
  ['PropertyDefinition', visitKeyed],
  ['ObjectPattern', visitPattern],
  ['ImportSpecifier', (node, report) => visitSpecifier(node, node.imported, report)],
  ['ExportSpecifier', (node, report) => visitSpecifier(node, node.local, report)],
]);

function visit(node: SyntaxNode, report: Report): void {
  if (!isTypeOnly(node)) (VISITORS.get(node.type) ?? visitParts)(node, report);
}

function visitParts(node: SyntaxNode, report: Report): void {
  for (const child of childrenOf(node)) visit(child, report);
}

function isTypeOnly(node: SyntaxNode): boolean {
  return (
    (node.type.startsWith('TS') && !WRAPPERS.has(node.type)) ||
    node.importKind === 'type' ||
    node.exportKind === 'type'
  );
}

function visitName(node: SyntaxNode, name: string, report: Report): void {
  if (NAMES.has(name)) report(node, name);
  if (GLOBALS.has(name)) report(node, `${name} under another name`);
}

function visitMember(node: SyntaxNode, report: Report): void {
  const key = keyOf(node, 'property');
  const object = unwrapped(node.object);
  const global = globalNamed(object);
  const whole = globalNamed(node);
  if (key !== undefined && NAMES.has(key)) report(node, key);
  else if (global !== undefined && !allows(global, key)) report(node, `${global}.${key ?? '[computed]'}`);
  else if (whole !== undefined) report(node, `${whole} under another name`);
  if (key === undefined && HOLDERS.has(String(object?.name))) report(node, `${object?.name}.[computed]`);
  if (global === undefined && object !== undefined) visit(object, report);
  if (node.computed === true && isNode(node.property)) visit(node.property, report);
}

/** `new Date(value)` reads a value; with nothing, or with what may be nothing, it reads the clock. */
function visitNew(node: SyntaxNode, report: Report): void {
  const callee = unwrapped(node.callee);
  const [first] = Array.isArray(node.arguments) ? node.arguments : [];
  if (globalNamed(callee) !== 'Date') {
    visitParts(node, report);
    return;
  }
  if (!isNode(first) || first.type === 'SpreadElement') report(node, 'new Date()');
  for (const child of childrenOf(node)) if (child !== node.callee) visit(child, report);
}

function visitBinary(node: SyntaxNode, report: Report): void {
  const harmless = node.operator === 'instanceof' && globalNamed(unwrapped(node.right)) !== undefined;
  for (const child of childrenOf(node)) if (!harmless || child !== node.right) visit(child, report);
}

/** The key of a property is a name of its owner's own choosing, unless it is computed. */
function visitKeyed(node: SyntaxNode, report: Report): void {
  for (const child of childrenOf(node)) {
    if (child !== node.key || node.computed === true) visit(child, report);
  }
}

/** Taking an object apart reads members by their keys. */
function visitPattern(node: SyntaxNode, report: Report): void {
  for (const child of childrenOf(node)) {
    const key = child.type === 'Property' && child.shorthand !== true ? keyOf(child, 'key') : undefined;
    if (key !== undefined && NAMES.has(key)) report(child, key);
    visit(child, report);
  }
}

function visitSpecifier(node: SyntaxNode, named: unknown, report: Report): void {
  const name = isNode(named) ? String(named.name ?? named.value) : '';
  visitName(node, name, report);
}

/** The global that an expression names, directly or as a member of the global object. */
function globalNamed(node: SyntaxNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'Identifier') return GLOBALS.has(String(node.name)) ? String(node.name) : undefined;
  if (node.type !== 'MemberExpression') return undefined;
  const holder = globalNamed(unwrapped(node.object));
  const key = keyOf(node, 'property');
  const isOfGlobalObject = holder === 'globalThis' || holder === 'global';
  return isOfGlobalObject && key !== undefined && GLOBALS.has(key) ? key : undefined;
}

function allows(global: string, member: string | undefined): boolean {
  return member !== undefined && GLOBALS.get(global)?.(member) === true;
}

/** The name that a member or property is read by; undefined where it is computed at run time. */
function keyOf(node: SyntaxNode, field: 'property' | 'key'): string | undefined {
  const key = unwrapped(node[field]);
  if (key === undefined) return undefined;
  if (key.type === 'Identifier' && node.computed !== true) return String(key.name);
  return literal(key);
}

function unwrapped(value: unknown): SyntaxNode | undefined {
  if (!isNode(value)) return undefined;
  return WRAPPERS.has(value.type) ? unwrapped(value.expression) : value;
}
