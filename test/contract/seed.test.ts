import { once } from 'node:events';
import { existsSync, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ExportLine,
  endGroup,
  exportLines,
  type RunningServer,
  removeFolder,
  spawnStart,
  startServer,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import { EVERYTHING } from './demonstration.ts';

const NOW = '2033-03-04T05:06:07.089Z';
const FIXED = { UNSAY_CLOCK: NOW };

const folder = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(join(folder, 'first'), FIXED);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

interface Line {
  readonly uri: string;
  readonly version: number;
  readonly value: string;
  readonly writtenAt: string;
  readonly staleAfter: string | null;
}

function versionsOf(lines: readonly ExportLine[]): readonly Line[] {
  return lines.filter(({ type }) => type === 'version') as unknown as Line[];
}

async function exported(from: RunningServer): Promise<readonly Line[]> {
  return versionsOf(await from.exported());
}

describe('the demonstration plan', () => {
  it('is nine versions of eight facts, as old as its time says', async () => {
    const lines = await exported(server);
    expect([...new Set(lines.map(({ uri }) => uri))].sort()).toEqual(EVERYTHING);
    expect(lines).toHaveLength(9);
    const of = (topic: string): Line[] => lines.filter(({ uri }) => uri.endsWith(`/${topic}`));
    expect(of('weight_bearing').map(({ version }) => version)).toEqual([1, 2]);
    const [anticoagulant] = of('anticoagulant');
    expect(anticoagulant?.staleAfter).toBe('2033-02-28T05:06:07.089Z');
    expect(anticoagulant?.value).toContain('The last injection is on 28 February 2033.');
    for (const { writtenAt } of lines) expect(Date.parse(writtenAt)).toBeLessThan(Date.parse(NOW));
  });

  it('is the same bytes in every store of the same time', async () => {
    const other = await startServer(join(folder, 'second'), { ...FIXED, UNSAY_WRITE_SECRET: '' });
    const second = await other.unsay('export');
    await other.kill();
    expect(second).toEqual(await server.unsay('export'));
    expect([second.code, versionsOf(exportLines(second.stdout))]).toEqual([0, await exported(server)]);
  });

  it('is there once: a later start adds nothing and changes nothing', async () => {
    const before = await exported(server);
    await server.kill();
    server = await startServer(server.data, { UNSAY_CLOCK: '2034-01-01T00:00:00Z' });
    expect(await exported(server)).toEqual(before);
  });

  it('is not put into a store that has facts, nor where none is wanted', async () => {
    const data = join(folder, 'without');
    let bare = await startServer(data, { UNSAY_SEED: 'none' });
    expect(await exported(bare)).toEqual([]);
    const anyone = await (await fetch(`${bare.url}/verify`)).text();
    expect(anyone).toBe('{"chains":[]}');
    await publish(bare.url, 'care://ray/own', 'The only fact.');
    await bare.kill();
    bare = await startServer(data);
    expect((await exported(bare)).map(({ uri }) => uri)).toEqual(['care://ray/own']);
    // Without the demonstration its subject is a person like any other.
    expect(await (await fetch(`${bare.url}/verify`)).text()).toBe('{"chains":[]}');
    await bare.kill();
  });
});

/** Starts a server and kills it at the n-th change in its folder, or when it is done. */
async function startKilledAt(data: string, changes: number): Promise<void> {
  mkdirSync(data, { mode: 0o700 });
  const watcher = watch(data);
  const child = spawnStart(testEnvironment(data, FIXED));
  await new Promise<void>((resolve) => {
    let seen = 0;
    watcher.on('change', () => {
      seen += 1;
      if (seen === changes) resolve();
    });
    child.stdout?.on('data', (text: Buffer) => {
      if (text.includes('ready in')) resolve();
    });
  });
  await endGroup(child, 'SIGKILL');
  watcher.close();
}

describe('a first start that was killed', () => {
  it.each([1, 20, 60, 80, 100, 120, 140])(
    'at change %d of its folder is completed by the next',
    async (changes) => {
      const data = join(folder, `killed-at-${changes}`);
      await startKilledAt(data, changes);
      expect(existsSync(data)).toBe(true);
      const next = await startServer(data, FIXED);
      const [lines, verdict] = [await exported(next), await next.operate('verify')];
      const audit = (await next.operate('audit')) as { intact: boolean; rows: { via: string }[] };
      await next.kill();
      expect(lines).toEqual(await exported(server));
      expect(verdict).toMatchObject({ intact: true, chains: 8, versions: 9 });
      expect([audit.intact, audit.rows.map(({ via }) => via)]).toEqual([
        true,
        Array.from({ length: 9 }, () => 'seed'),
      ]);
    },
  );

  it('before it did anything at all is as if it had not been', async () => {
    const data = join(folder, 'killed-at-once');
    const child = spawnStart(testEnvironment(data, FIXED));
    await once(child, 'spawn');
    await endGroup(child, 'SIGKILL');
    expect(existsSync(data)).toBe(false);
  });
});
