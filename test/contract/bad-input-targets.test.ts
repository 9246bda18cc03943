import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { CODES, sendRaw, shown } from './hostile.ts';
import { UNREADABLE } from './unreadable-uris.ts';

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

describe('GET /verify', () => {
  const PARTS = UNREADABLE.flatMap((uri) => uri.split('/').slice(2)).filter((part) => part.length < 1000);

  it('shows no chain of a subject, or of a topic, that cannot be', async () => {
    const names = [...new Set(PARTS)].filter(
      (part) => !/^(ray|wound|gait|risk|w|x|y|v\d+|v|vnull|me|nothing|1)$/.test(part),
    );
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const given = encodeURIComponent(name.toWellFormed());
      for (const query of [`subject=${given}`, `subject=ray&topic=${given}`]) {
        const answer = await fetch(`${server.url}/verify?${query}`);
        expect([query, answer.status, await answer.text()]).toEqual([query, 200, '{"chains":[]}']);
      }
    }
  });

  it.each(['%', '%zz', '%ff', '%00', '%ed%a0%80', 'x'.repeat(15_000)].map((name) => [shown(name), name]))(
    'reads a query that ends in %s',
    async (_shown, name) => {
      const { status, body } = await sendRaw(server.url, [
        `GET /verify?subject=${name} HTTP/1.1`,
        'host: localhost',
      ]);
      expect([status, body]).toEqual([200, { chains: [] }]);
    },
  );
});

describe('a request target', () => {
  const TARGETS = [
    '/verify/',
    '/VERIFY',
    '/verify%2f',
    '/verify;x',
    '/verify%00',
    '/write/',
    '/mcp//',
    '/%6dcp',
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/..%2f..%2fetc/passwd',
    '/__proto__',
    '/constructor',
    '/toString',
    '//',
    '/\\',
    '*',
    'http://localhost/verify',
    `/${'x'.repeat(15_000)}`,
    `/verify?${'x'.repeat(20_000)}`,
    '/verify\u00e9',
    '/ver ify',
  ];

  it.each(TARGETS.map((target) => [shown(target), target]))(
    'that is none of ours is refused in words: %s',
    async (_shown, target) => {
      const { status, code, body } = await sendRaw(server.url, [`GET ${target} HTTP/1.1`, 'host: localhost']);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(CODES).toContain(code);
      expect(body).toHaveProperty('next', expect.stringMatching(/\w+ \w+/));
    },
  );
});

it('none of it left anything in the store, or on standard error', async () => {
  expect(await server.operate('verify')).toMatchObject({ intact: true, chains: 8, versions: 9 });
  expect(await server.operate('audit')).toMatchObject({ intact: true });
  expect(server.faults()).toBe('');
});
