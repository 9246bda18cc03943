import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

/** Changes the store of a stopped server, and starts it again. */
async function tamper(change: (database: DatabaseSync) => void): Promise<void> {
  await server.stop();
  const database = new DatabaseSync(join(data, 'unsay.db'));
  change(database);
  database.close();
  server = await startServer(data);
}

interface Chain {
  readonly uri: string;
  readonly intact: boolean;
  readonly brokenAt?: number;
}

async function chains(): Promise<Map<string, Chain>> {
  const { chains } = (await (await fetch(`${server.url}/verify?subject=ray`)).json()) as { chains: Chain[] };
  return new Map(chains.map((chain) => [chain.uri, chain]));
}

describe('a store that was tampered with', () => {
  it('is found broken at that very version, over HTTP and on the command line, and the rest is not', async () => {
    expect((await chains()).get('care://ray/weight_bearing')).toMatchObject({ intact: true });
    await tamper((database) => {
      // The only fact with two versions is the one that both of these belong to.
      const row = database.prepare('SELECT position, ciphertext FROM versions WHERE version = 2').get();
      const bytes = Uint8Array.from(row?.ciphertext as Uint8Array);
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      database
        .prepare('UPDATE versions SET ciphertext = ? WHERE position = ?')
        .run(bytes, row?.position ?? 0);
    });
    const found = await chains();
    expect(found.get('care://ray/weight_bearing')).toMatchObject({ intact: false, brokenAt: 2 });
    expect(found.get('care://ray/wound')).toMatchObject({ intact: true });
    expect(found.get('care://ray/wound')).not.toHaveProperty('brokenAt');
    const { code, stdout } = await server.unsay('verify', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      intact: false,
      broken: [{ uri: 'care://ray/weight_bearing', version: 2 }],
    });
    expect((await server.unsay('read', 'care://ray/wound')).code).toBe(0);
  });

  it('is found to have a log of attempts that does not hold', async () => {
    await tamper((database) => {
      const row = database.prepare('SELECT row_index, ciphertext FROM audit WHERE row_index = 3').get();
      const bytes = Uint8Array.from(row?.ciphertext as Uint8Array);
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      database.prepare('UPDATE audit SET ciphertext = ? WHERE row_index = 3').run(bytes);
    });
    const { stdout } = await server.unsay('audit', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ intact: false });
  });
});
