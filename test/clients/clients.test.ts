import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, run } from '../harness/running-server.ts';
import { readTranscripts } from '../transcripts/transcript-file.ts';
import { CATALOGUE } from './catalogue.ts';
import { type ClientResult, clientsPage } from './client-table.ts';
import { CLIENTS, versionOf } from './install-programs.ts';

const page = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
const files = readTranscripts();

describe.each(CATALOGUE)('$id', ({ id, program, driver }) => {
  it('is on the page, with the version that is pinned', () => {
    expect(
      page
        .split('\n')
        .filter(
          (line) => line.includes(`\`${program}\``) && line.includes(`| ${versionOf(CLIENTS, program)} |`),
        ),
    ).not.toEqual([]);
  });

  it('has a driver, and what it sent in both phases', () => {
    expect(existsSync(join(ROOT, `conformance/clients/drivers/${driver}.mjs`))).toBe(true);
    for (const phase of ['open', 'auth']) {
      const found = files.find(({ file }) => file === `${id}-${phase}.json`);
      expect(found?.program).toBe(`${program} ${versionOf(CLIENTS, program)}`);
    }
  });
});

describe('the page', () => {
  const [first] = CATALOGUE;
  if (first === undefined) throw new Error('the catalogue is empty');
  const client = first;
  const acts = (...failed: string[]) =>
    ['connect', 'tools', 'read', 'subscribe'].map((act) => ({
      act,
      ok: !failed.includes(act),
      detail: failed.includes(act) ? 'no | luck' : '2',
    }));
  const seen = {
    client: 'one',
    version: '1',
    era: 'legacy',
    revisions: ['2025-11-25'],
    capabilities: {},
    walk: ['POST /mcp 401'],
    oddities: ['is odd'],
  };

  function rowFor(change: Partial<ClientResult>): string {
    const result = {
      client,
      version: '1.0.0',
      open: acts(),
      auth: acts(),
      unsay: acts(),
      signedIn: { registered: acts(), documented: acts() },
      seen: [seen],
      seenAuth: [seen],
    };
    const text = clientsPage([{ ...result, ...change }], '2026-12-01');
    return text.split('\n').find((line) => line.startsWith(`| \`${client.program}\``)) ?? '';
  }

  it('says of a client what it did, that it signed in, and what is odd, once', () => {
    const cells = rowFor({}).split(' | ');
    expect(cells.slice(1)).toEqual([
      '1.0.0',
      'legacy, 2025-11-25',
      'connect, tools (2), read, subscribe',
      'registered, by its document',
      'connect, tools (2), read, subscribe',
      'yes',
      'is odd |',
    ]);
  });

  it('says of a client that failed what it did not do, and why, without breaking the table', () => {
    const row = rowFor({ unsay: acts('subscribe'), auth: acts('connect', 'read') });
    expect(row).toContain('connect, tools (2), read, **not subscribe**: no \\| luck');
    expect(row).toContain('| no: no \\| luck |');
  });

  it('says of each way in whether it was one, and why not', () => {
    expect(rowFor({ signedIn: { registered: acts('connect', 'read'), documented: null } })).toContain(
      '| **not registered**: no \\| luck, knows no document |',
    );
    expect(rowFor({ signedIn: { registered: acts(), documented: [] } })).toContain(
      '| registered, **not by its document**: it did not read |',
    );
    const renewed = { act: 'refresh', ok: true, detail: '1' };
    const stuck = { act: 'refresh', ok: false, detail: 'no luck' };
    expect(
      rowFor({ signedIn: { registered: [...acts(), renewed], documented: [...acts(), stuck] } }),
    ).toContain('| registered and refreshed, by its document and **not refreshed** (no luck) |');
    const signedIn = { registered: acts(), documented: acts() };
    expect(rowFor({ client: { ...client, document: 'of its maker' }, signedIn })).toContain(
      '| registered, by its maker’s document |',
    );
  });

  it('says that a client did nothing', () => {
    expect(rowFor({ unsay: [] })).toContain('| nothing |');
  });
});

describe('npm run clients', () => {
  const clients = (...args: string[]) =>
    run(process.execPath, ['test/clients/clients.ts', ...args], process.env);

  it('says how it is called without installing anything', async () => {
    expect(await clients('--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--only'),
      stderr: '',
    });
  });

  it.each([['--only', 'nobody'], ['--everything']])('refuses %s %s', async (...args) => {
    const { code, stderr } = await clients(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(args.at(-1) ?? '')]);
  });
});
