import { type Import, importsOf } from './imports.ts';
import type { SourceFile } from './source-tree.ts';
import { isShipped, ROOT_WORKSPACE, WORKSPACES, workspaceOf } from './workspaces.ts';

/** The parts of a package.json that decide what a workspace may import. */
export interface Manifest {
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** Keys of `exports`: the doors that others may come in by. */
  readonly exports: readonly string[];
}

/** What the gate judges: modules, and the manifest of each workspace by its folder. */
export interface House {
  readonly modules: readonly SourceFile[];
  readonly manifests: ReadonlyMap<string, Manifest>;
}

export type RuleName = (typeof RULES)[number]['name'];

export interface Violation {
  readonly rule: RuleName;
  readonly where: string;
  readonly specifier: string;
  readonly why: string;
}

interface Rule {
  readonly name: string;
  readonly why: string;
  readonly breaks: (found: Import, house: House) => boolean;
}

const MCP = 'packages/mcp/src/';
const WEB = /^apps\/[^/]+\/web\//;

/** Who may import which package of the protocol's makers; the first row that fits decides. */
const PROTOCOL_PACKAGES: readonly { readonly name: RegExp; readonly allowed: RegExp }[] = [
  {
    name: /^@modelcontextprotocol\/client$/,
    allowed: /^(packages\/mcp|apps\/unsay\/web|test|bench|conformance\/clients)\//,
  },
  {
    name: /^@modelcontextprotocol\/sdk$/,
    allowed: /^(packages\/mcp|test|conformance\/clients|bench\/peers)\//,
  },
  { name: /^@modelcontextprotocol\/ext-apps$/, allowed: /^test\// },
  { name: /^@modelcontextprotocol\/(server|node)$/, allowed: /^(packages\/mcp|bench\/peers)\// },
  { name: /^@modelcontextprotocol\//, allowed: /^packages\/mcp\// },
];

const RULES = [
  {
    name: 'declared',
    why: 'its own package.json does not declare it',
    breaks: ({ from, target }, house) =>
      target.kind === 'package' && !declaredFor(from, house).includes(target.name),
  },
  {
    name: 'own-workspace',
    why: 'a path leads out of the workspace; name the package instead',
    breaks: ({ from, target }) =>
      target.kind === 'file' &&
      (target.path.startsWith('..') || workspaceOf(target.path) !== workspaceOf(from)),
  },
  {
    name: 'front-door',
    why: 'the package does not export that path',
    breaks: ({ target }, house) => {
      const used = target.kind === 'package' && WORKSPACES.find(({ name }) => name === target.name);
      return used ? !house.manifests.get(used.folder)?.exports.includes(target.subpath) : false;
    },
  },
  {
    name: 'direction',
    why: 'imports go apps → mcp, auth, storage → live-resources, apps → verifier, and nowhere else',
    breaks: ({ from, target }) =>
      target.kind === 'package' &&
      WORKSPACES.some(({ name }) => name === target.name) &&
      !workspaceOf(from).uses.includes(target.name),
  },
  {
    name: 'protocol',
    why: 'packages/mcp alone speaks the protocol through its SDK',
    breaks: ({ from, target }) => {
      const row = target.kind === 'package' && PROTOCOL_PACKAGES.find(({ name }) => name.test(target.name));
      return row ? !row.allowed.test(from) : false;
    },
  },
  {
    name: 'live-seam',
    why: 'inside packages/mcp, src/live*.ts alone joins the protocol and live resources',
    breaks: ({ from, target }) =>
      from.startsWith(MCP) &&
      isShipped(from) &&
      !/^live[^/]*\.ts$/.test(from.slice(MCP.length)) &&
      target.kind === 'package' &&
      target.name === '@unsay/live-resources',
  },
  {
    name: 'legacy-door',
    why: 'src/legacy is reached from src/endpoint.ts alone, so that it can be deleted whole',
    breaks: ({ from, target }) =>
      target.kind === 'file' &&
      target.path.startsWith(`${MCP}legacy/`) &&
      !from.startsWith(`${MCP}legacy/`) &&
      from !== `${MCP}endpoint.ts`,
  },
  {
    name: 'foundation',
    why: 'live-resources stands on canonicalize and node:crypto alone',
    breaks: ({ from, target }) =>
      from.startsWith('packages/live-resources/') &&
      isShipped(from) &&
      ((target.kind === 'package' && target.name !== 'canonicalize') ||
        (target.kind === 'builtin' && target.name !== 'node:crypto')),
  },
  {
    name: 'verifier-alone',
    why: 'the verifier shares no code with what it judges: node: modules alone',
    breaks: ({ from, target }) =>
      from.startsWith('proofs/verifier/') && isShipped(from) && target.kind === 'package',
  },
  {
    name: 'web-apart',
    why: 'pages run in a browser: they share no file and no Node module with the server',
    breaks: ({ from, target }) =>
      (target.kind === 'builtin' && WEB.test(from) && isShipped(from)) ||
      (target.kind === 'file' &&
        workspaceOf(target.path) === workspaceOf(from) &&
        WEB.test(target.path) !== WEB.test(from)),
  },
  {
    name: 'readable',
    why: 'an import that is computed cannot be checked',
    breaks: ({ from, target }) => target.kind === 'computed' && isShipped(from),
  },
] as const satisfies readonly Rule[];

export const RULE_NAMES: readonly RuleName[] = RULES.map(({ name }) => name);

/** Every import that goes where it must not. Throws where there was nothing to judge. */
export function findViolations(house: House): readonly Violation[] {
  if (house.modules.length === 0) throw new Error('the import gate saw no module at all');
  return house.modules.flatMap(importsOf).flatMap((found) =>
    RULES.filter(({ breaks }) => breaks(found, house)).map(({ name, why }) => ({
      rule: name,
      where: `${found.from}:${found.line}`,
      specifier: found.specifier,
      why,
    })),
  );
}

/** Shipped code gets what its users install; tests, pages and tools also get what developers install. */
function declaredFor(from: string, house: House): readonly string[] {
  const own = house.manifests.get(workspaceOf(from).folder);
  if (own === undefined) throw new Error(`${from} belongs to a workspace without a package.json`);
  if (isShipped(from) && !WEB.test(from)) return own.dependencies;
  const tools = isShipped(from) ? [] : (house.manifests.get(ROOT_WORKSPACE.folder)?.devDependencies ?? []);
  return [...own.dependencies, ...own.devDependencies, ...tools];
}
