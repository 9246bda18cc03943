/** A workspace: where it is, which workspaces it may use, and every dependency it declares. */
export interface Workspace {
  readonly folder: string;
  readonly name: string;
  /** Workspaces whose modules it may import; the direction of the house. */
  readonly uses: readonly string[];
  /** Names under `dependencies` of its package.json, and under `devDependencies`. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

const FOUNDATION = '@unsay/live-resources';
const PACKAGES = [FOUNDATION, '@unsay/mcp', '@unsay/auth', '@unsay/storage'];

const VERIFIER = '@unsay/verifier';

/** apps → {mcp, auth, storage} → live-resources; apps → verifier, which uses nothing. A dependency added or moved is a change to this table. */
export const WORKSPACES: readonly Workspace[] = [
  {
    folder: 'packages/live-resources',
    name: FOUNDATION,
    uses: [],
    dependencies: ['canonicalize'],
    devDependencies: [],
  },
  {
    folder: 'packages/auth',
    name: '@unsay/auth',
    uses: [FOUNDATION],
    dependencies: ['jose'],
    devDependencies: [],
  },
  {
    folder: 'packages/mcp',
    name: '@unsay/mcp',
    uses: [FOUNDATION],
    dependencies: ['@modelcontextprotocol/server', FOUNDATION],
    devDependencies: ['@modelcontextprotocol/client', '@modelcontextprotocol/sdk'],
  },
  {
    folder: 'packages/storage',
    name: '@unsay/storage',
    uses: [FOUNDATION],
    dependencies: [FOUNDATION],
    devDependencies: [],
  },
  {
    folder: 'proofs/verifier',
    name: VERIFIER,
    uses: [],
    dependencies: [],
    devDependencies: [],
  },
  {
    folder: 'apps/unsay',
    name: 'unsay',
    uses: [...PACKAGES, VERIFIER],
    dependencies: ['@humanwhocodes/momoa', 'canonicalize', ...PACKAGES, VERIFIER],
    devDependencies: ['@modelcontextprotocol/client'],
  },
  {
    folder: 'bench',
    name: '@unsay/bench',
    uses: PACKAGES,
    dependencies: [],
    devDependencies: [],
  },
  {
    folder: 'test',
    name: '@unsay/test',
    uses: PACKAGES,
    dependencies: [],
    devDependencies: [
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/sdk',
      '@sparticuz/chromium',
      'jose',
      'playwright-core',
    ],
  },
];

/** The root: scripts and configuration. Its development dependencies are the tools of every workspace's tests. */
export const ROOT_WORKSPACE: Workspace = {
  folder: '.',
  name: 'unsay-house',
  uses: [],
  dependencies: [],
  devDependencies: ['@biomejs/biome', '@types/node', 'fast-check', 'node', 'typescript', 'vite', 'vitest'],
};

/** The workspace that a path from the root belongs to. */
export function workspaceOf(path: string): Workspace {
  return WORKSPACES.find(({ folder }) => path.startsWith(`${folder}/`)) ?? ROOT_WORKSPACE;
}

/** Whether a module ships: not a test, test support, benchmark, script or configuration. */
export function isShipped(path: string): boolean {
  return (
    /^(packages|apps|proofs)\/[^/]+\/(src|web)\//.test(path) && !/\.test\.[cm]?[jt]s$|\/testing\//.test(path)
  );
}
