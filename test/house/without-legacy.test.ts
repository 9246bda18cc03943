import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ROOT } from './source-tree.ts';

// In the house, where its imports are found, and where no gate looks.
mkdirSync(join(ROOT, 'test-output'), { recursive: true });
const copy = mkdtempSync(join(ROOT, 'test-output/without-legacy-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const LEGACY_IMPORT = "import { legacyEra } from './legacy/legacy.ts';";

/** Tests of the package that say nothing of the older revisions. */
const MODERN_TESTS = ['src/modern/listen.test.ts', 'src/hub/listen-hub.test.ts', 'src/hub/token-end.test.ts'];

it('serves the newest revision when the folder of the older ones is deleted and one import is changed', () => {
  cpSync(join(ROOT, 'packages/mcp/src'), join(copy, 'src'), {
    recursive: true,
    filter: (path) => !path.includes(`${join('src', 'legacy')}/`) && !path.endsWith(join('src', 'legacy')),
  });
  const endpoint = join(copy, 'src/endpoint.ts');
  const code = readFileSync(endpoint, 'utf8');
  expect(code.split(LEGACY_IMPORT)).toHaveLength(2);
  writeFileSync(endpoint, code.replace(LEGACY_IMPORT, "import { legacyEra } from './without-legacy.ts';"));
  writeFileSync(join(copy, 'src/refusal.test.ts'), REFUSAL_TEST);
  writeFileSync(
    join(copy, 'vitest.config.ts'),
    "export default { test: { include: ['src/**/*.test.ts'] } };",
  );

  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const outer = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const run = spawnSync(
    process.execPath,
    [vitest, 'run', '--reporter=json', '--outputFile=report.json', ...MODERN_TESTS, 'src/refusal.test.ts'],
    { cwd: copy, encoding: 'utf8', env: Object.fromEntries(outer) },
  );
  const report = JSON.parse(readFileSync(join(copy, 'report.json'), 'utf8')) as Record<string, number>;
  expect(report).toMatchObject({ numFailedTests: 0, numFailedTestSuites: 0 });
  expect(report.numPassedTests).toBeGreaterThan(20);
  expect(run.status).toBe(0);
});

const REFUSAL_TEST = `
import { expect, it } from 'vitest';
import { serveNotes } from './fixtures/served-notes.ts';

it('tells a client that opens a session which revision to speak, and refuses its stream', async () => {
  const served = await serveNotes();
  const headers = { authorization: 'Bearer staff', accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '0' } };
  const opening = await fetch(served.url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  expect(opening.status).toBe(400);
  expect(await opening.json()).toMatchObject({ id: 1, error: { code: -32022, data: { supported: ['2026-07-28'] } } });
  expect((await fetch(served.url, { headers })).status).toBe(405);
  await served.stop();
});
`;
