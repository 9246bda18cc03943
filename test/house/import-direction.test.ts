import { describe, expect, it } from 'vitest';
import { findViolations, type House, RULE_NAMES, type RuleName } from './import-direction.ts';
import { readManifests } from './manifests.ts';
import { readModules } from './source-tree.ts';
import { workspaceOf } from './workspaces.ts';

const manifests = new Map(
  [...readManifests()].map(([folder, { dependencies, devDependencies, exports }]) => [
    folder,
    {
      dependencies: Object.keys(dependencies),
      devDependencies: Object.keys(devDependencies),
      exports: Object.keys(exports),
    },
  ]),
);

/** A house of one module, whose workspace also declares `declares`. */
function plant(path: string, text: string, declares?: string): House {
  const { folder } = workspaceOf(path);
  const own = manifests.get(folder);
  const planted = new Map(manifests);
  if (own && declares) planted.set(folder, { ...own, dependencies: [...own.dependencies, declares] });
  return { modules: [{ path, text }], manifests: planted };
}

describe('imports go one way', () => {
  it('holds for every module of the house', () => {
    expect(findViolations({ modules: readModules(), manifests })).toEqual([]);
  });

  it('fails where it saw nothing', () => {
    expect(() => findViolations({ modules: [], manifests })).toThrow('no module');
  });

  it('sees modules in every workspace that has code to judge', () => {
    const paths = readModules().map(({ path }) => path);
    for (const folder of ['packages/live-resources/src/', 'test/house/', 'scripts/']) {
      expect(paths.filter((path) => path.startsWith(folder)).length, folder).toBeGreaterThan(0);
    }
  });

  it('refuses a module that does not parse, instead of passing it', () => {
    expect(() => findViolations(plant('test/x.ts', 'import {'))).toThrow('test/x.ts does not parse');
  });
});

const LIVE = '@unsay/live-resources';
const PLANTS: readonly (readonly [rule: RuleName, path: string, text: string, declares?: string])[] = [
  ['declared', 'packages/auth/src/a.ts', "import { fc } from 'fast-check';"],
  ['declared', 'packages/auth/src/a.ts', "import type { fc } from 'fast-check';"],
  ['declared', 'packages/auth/src/a.ts', "let a: import('playwright-core').Page;"],
  ['declared', 'packages/auth/src/a.ts', "export { z } from 'zod';"],
  ['declared', 'packages/auth/src/a.ts', "export * from 'zod';"],
  ['declared', 'packages/auth/src/a.ts', "await import('zod');"],
  ['declared', 'packages/auth/src/a.ts', 'await import(`zod`);'],
  ['declared', 'packages/auth/src/a.ts', "const z = require('zod');"],
  ['declared', 'packages/auth/src/a.ts', "import z = require('zod');"],
  ['declared', 'packages/auth/src/a.ts', "import.meta.resolve('zod');"],
  ['declared', 'packages/mcp/src/a.ts', "import { Client } from '@modelcontextprotocol/client';"],
  ['declared', 'packages/auth/src/a.test.ts', "import { z } from 'zod';"],
  ['declared', 'packages/auth/src/a.ts', "import fs from 'fs';"],
  ['declared', 'packages/auth/src/a.ts', "import x from '#inside';"],
  ['declared', 'apps/unsay/web/a.ts', "import { z } from 'zod';"],
  ['declared', 'bench/src/a.ts', "import { z } from 'zod';"],
  ['declared', 'scripts/a.ts', "import { z } from 'zod';"],
  ['declared', 'conformance/src/a.ts', "import { a } from 'mcporter';"],
  ['own-workspace', 'conformance/src/a.ts', "import { a } from '../clients/drivers/acts.mjs';"],
  ['own-workspace', 'packages/mcp/src/live.ts', "import { a } from '../../live-resources/src/index.ts';"],
  ['own-workspace', 'packages/mcp/src/live.ts', "import type { A } from '../../auth/src/index.ts';"],
  ['own-workspace', 'apps/unsay/src/a.ts', "import { a } from '../../press/src/index.ts';"],
  ['own-workspace', 'test/a.ts', "import { a } from '../scripts/check.ts';"],
  ['own-workspace', 'scripts/a.ts', "import { a } from '../test/house/imports.ts';"],
  ['own-workspace', 'packages/auth/src/a.ts', "import { a } from '../../../../elsewhere.ts';"],
  ['own-workspace', 'packages/auth/src/a.ts', "import { a } from '/etc/elsewhere.ts';"],
  ['own-workspace', 'packages/auth/src/a.ts', "import { a } from 'file:///etc/elsewhere.ts';"],
  ['front-door', 'apps/unsay/src/a.ts', "import { a } from '@unsay/mcp/src/endpoint.ts';", '@unsay/mcp'],
  [
    'direction',
    'packages/live-resources/src/a.test.ts',
    "import { a } from '@unsay/auth/resource-server';",
    '@unsay/auth',
  ],
  ['direction', 'packages/auth/src/a.ts', "import { a } from '@unsay/storage';", '@unsay/storage'],
  [
    'direction',
    'packages/storage/src/a.ts',
    "import type { A } from '@unsay/auth/resource-server';",
    '@unsay/auth',
  ],
  ['direction', 'packages/mcp/src/a.ts', "import { a } from '@unsay/auth/resource-server';", '@unsay/auth'],
  ['direction', 'scripts/a.ts', "import { a } from '@unsay/mcp';", '@unsay/mcp'],
  [
    'protocol',
    'apps/unsay/src/a.ts',
    "import { a } from '@modelcontextprotocol/server';",
    '@modelcontextprotocol/server',
  ],
  [
    'protocol',
    'apps/unsay/src/a.ts',
    "import type { A } from '@modelcontextprotocol/client';",
    '@modelcontextprotocol/client',
  ],
  [
    'protocol',
    'test/a.ts',
    "import { a } from '@modelcontextprotocol/server';",
    '@modelcontextprotocol/server',
  ],
  [
    'protocol',
    'conformance/src/a.ts',
    "import { a } from '@modelcontextprotocol/client';",
    '@modelcontextprotocol/client',
  ],
  [
    'protocol',
    'apps/probe/src/a.ts',
    "import { a } from '@modelcontextprotocol/sdk/client/index.js';",
    '@modelcontextprotocol/sdk',
  ],
  ['direction', 'apps/probe/src/a.ts', "import { a } from '@unsay/storage';", '@unsay/storage'],
  [
    'protocol',
    'bench/src/a.ts',
    "import { a } from '@modelcontextprotocol/core';",
    '@modelcontextprotocol/core',
  ],
  [
    'protocol',
    'bench/src/a.ts',
    "import { a } from '@modelcontextprotocol/sdk/server/index.js';",
    '@modelcontextprotocol/sdk',
  ],
  ['live-seam', 'packages/mcp/src/endpoint.ts', `import { a } from '${LIVE}';`, LIVE],
  ['live-seam', 'packages/mcp/src/modern/live.ts', `import type { A } from '${LIVE}';`, LIVE],
  ['legacy-door', 'packages/mcp/src/live.ts', "import { a } from './legacy/session.ts';"],
  ['legacy-door', 'packages/mcp/src/modern/a.ts', "import type { A } from '../legacy/session.ts';"],
  ['legacy-door', 'packages/mcp/src/index.ts', "export { a } from './legacy/session.ts';"],
  ['foundation', 'packages/live-resources/src/a.ts', "import { z } from 'zod';", 'zod'],
  ['foundation', 'packages/live-resources/src/a.ts', "import { readFileSync } from 'node:fs';"],
  ['foundation', 'packages/live-resources/src/a.ts', "import assert from 'node:assert';"],
  ['foundation', 'packages/live-resources/src/a.ts', "import type { Socket } from 'node:net';"],
  ['verifier-alone', 'proofs/verifier/src/a.ts', "import c from 'canonicalize';", 'canonicalize'],
  ['verifier-alone', 'proofs/verifier/src/a.ts', "import type { J } from 'canonicalize';", 'canonicalize'],
  ['declared', 'proofs/verifier/src/a.test.ts', "import c from 'canonicalize';"],
  ['direction', 'proofs/verifier/src/a.test.ts', `import { a } from '${LIVE}';`, LIVE],
  ['own-workspace', 'proofs/verifier/src/a.ts', "import { a } from '../../../packages/auth/src/a.ts';"],
  ['web-apart', 'apps/unsay/web/a.ts', "import { createHash } from 'node:crypto';"],
  ['web-apart', 'apps/unsay/web/a.ts', "import { a } from '../src/domain/care.ts';"],
  ['web-apart', 'apps/unsay/src/a.ts', "import { a } from '../web/device.ts';"],
  ['readable', 'packages/auth/src/a.ts', 'await import(name);'],
  ['readable', 'packages/auth/src/a.ts', "require('./' + name);"],
];

describe('planted violations', () => {
  it.for(PLANTS)('%s: %s: %s', ([rule, path, text, declares]) => {
    expect(findViolations(plant(path, text, declares)).map((found) => found.rule)).toEqual([rule]);
  });

  it('are there for every rule', () => {
    expect(new Set(PLANTS.map(([rule]) => rule))).toEqual(new Set(RULE_NAMES));
  });
});

const ALLOWED: readonly (readonly [path: string, text: string, declares?: string])[] = [
  ['packages/mcp/src/live.ts', `import { a } from '${LIVE}';`, LIVE],
  ['packages/mcp/src/live-delivery.ts', `import { a } from '${LIVE}';`, LIVE],
  ['packages/mcp/src/endpoint.test.ts', `import { a } from '${LIVE}';`, LIVE],
  ['packages/mcp/src/endpoint.ts', "import { a } from './legacy/session.ts';"],
  ['packages/mcp/src/legacy/session.ts', "import { a } from './events.ts';"],
  ['packages/mcp/src/endpoint.ts', "import { a } from '@modelcontextprotocol/server';"],
  ['packages/mcp/src/endpoint.test.ts', "import { Client } from '@modelcontextprotocol/client';"],
  [
    'packages/live-resources/src/a.ts',
    "import c from 'canonicalize'; import { createHash } from 'node:crypto';",
  ],
  ['packages/live-resources/src/a.test.ts', "import { it } from 'vitest'; import assert from 'node:assert';"],
  ['apps/unsay/src/main.ts', "import { a } from '@unsay/storage';", '@unsay/storage'],
  ['apps/unsay/web/a.ts', "import { Client } from '@modelcontextprotocol/client';"],
  ['apps/unsay/src/a.ts', "import { a } from '@unsay/verifier';"],
  ['proofs/verifier/src/a.ts', "import { createHash } from 'node:crypto'; import { a } from './b.ts';"],
  ['proofs/verifier/src/a.test.ts', "import fc from 'fast-check';"],
  ['test/e2e/a.ts', "import { Client } from '@modelcontextprotocol/sdk/client/index.js';"],
  ['test/browser/a.ts', "import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';"],
  ['apps/unsay/vite.config.ts', "import { defineConfig } from 'vite';"],
  ['scripts/a.ts', "import { build } from 'vite'; await import(name);"],
  ['packages/auth/src/a.ts', "import { join } from 'node:path'; path.resolve('zod');"],
];

describe('what is allowed', () => {
  it.for(ALLOWED)('%s: %s', ([path, text, declares]) => {
    expect(findViolations(plant(path, text, declares))).toEqual([]);
  });
});
