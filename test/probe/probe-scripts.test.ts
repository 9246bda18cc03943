import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProbe } from '../clients/probe-process.ts';
import { ROOT, removeFolder, run, startServer, temporaryFolder } from '../harness/running-server.ts';
import type { Negotiation } from './negotiation.ts';

const FILES = {
  probe: 'apps/probe/src/main.ts',
  'probe:subscribe': 'test/probe/subscribe.ts',
  'probe:resume': 'test/probe/resume.ts',
} as const;

/** Runs what a script of package.json runs, without npm's own start. */
const script = (name: keyof typeof FILES, ...args: string[]) =>
  run(process.execPath, [FILES[name], ...args], { ...process.env, NO_COLOR: '1' });

it('are scripts of the house', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const [name, file] of Object.entries(FILES))
    expect(scripts[name]).toBe(`exec node scripts/with-node.mjs ${file}`);
});

describe('npm run probe:resume', () => {
  it('tells the story of a lost stream, and all of it holds', async () => {
    const { code, stdout, stderr } = await script('probe:resume');
    expect(stdout.trimEnd().split('\n').at(-1), stdout + stderr).toBe('4 steps held');
    expect(code).toBe(0);
  });

  it('says how it is called, and refuses what it does not know', async () => {
    expect(await script('probe:resume', '--help')).toMatchObject({ code: 0, stderr: '' });
    expect(await script('probe:resume', '--twice')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('npm run probe:subscribe', () => {
  it('records what three clients and a server that is given to it negotiated', async () => {
    const data = temporaryFolder();
    const server = await startServer(data);
    try {
      const token = await server.mint('care.read.user');
      const target = ['--url', server.url, '--token', token];
      const { code, stdout, stderr } = await script('probe:subscribe', ...target, '--json');
      expect(stderr).toBe('');
      const found = JSON.parse(stdout) as readonly Negotiation[];
      expect(found.map(({ revision, subscribedBy, honoured }) => [revision, subscribedBy, honoured])).toEqual(
        [
          ['2026-07-28', 'subscriptions/listen', ['care://ray/wound']],
          ['2025-11-25', 'resources/subscribe', null],
          ['2025-11-25', 'resources/subscribe', null],
        ],
      );
      for (const { clientCapabilities, serverCapabilities } of found) {
        expect(clientCapabilities).toMatchObject({ roots: { listChanged: true }, elicitation: {} });
        expect(serverCapabilities).toMatchObject({
          resources: { subscribe: true, listChanged: true },
          tools: {},
        });
      }
      expect(code).toBe(0);
      const refused = await script(
        'probe:subscribe',
        '--url',
        server.url,
        '--token',
        'no-token-of-this-server',
      );
      expect(refused.code).toBe(1);
      const secret = await script('probe:subscribe', ...target, '--uri', 'care-internal://ray/risk');
      // What may not be read is accepted or dropped as silently as what does not exist.
      expect(secret.stdout).toContain('honoured: nothing');
    } finally {
      await server.stop();
      removeFolder(data);
    }
  });

  it.each([
    [['--url', 'nowhere', '--token', 'x'], '--url'],
    [['--url', 'http://localhost:1'], '--token'],
    [['--token', 'x'], '--token'],
    [['--nothing'], '--nothing'],
  ])('refuses %j and says why', async (args, word) => {
    const { code, stderr } = await script('probe:subscribe', ...args);
    expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining(word)]);
  });
});

describe('npm run probe', () => {
  it('serves until it is stopped, and reports to whoever asks meanwhile', async () => {
    const data = temporaryFolder();
    const probe = await startProbe('open', data);
    try {
      expect(await probe.report()).toEqual([]);
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'contract-test', version: '0' },
      };
      await fetch(probe.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/list',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
      });
      expect(await probe.report()).toMatchObject([{ client: 'contract-test', era: 'modern', oddities: [] }]);
      const text = await script('probe', 'report', '--data', data);
      expect(text).toMatchObject({ code: 0, stdout: expect.stringContaining('contract-test 0\n') });
      const port = new URL(probe.url).port;
      const second = await script('probe', '--port', port, '--data', data);
      expect(second).toMatchObject({
        code: 1,
        stderr: `Port ${port} is in use. Choose another with --port.\n`,
      });
    } finally {
      await probe.stop();
      removeFolder(data);
    }
  });

  it('says in a sentence what stands in its way', async () => {
    const nothing = await script('probe', 'report', '--data', '/nonexistent/folder');
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('There are no records in') });
    const unusable = await script('probe', '--data', '/dev/null/folder', '--port', '0');
    expect(unusable).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be used for records'),
    });
    expect(await script('probe', '--phase', 'half')).toMatchObject({ code: 2 });
  });
});
