import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';

let server: RunningServer;

/** Changes the store of a stopped server, and starts it again. */
async function tamper(provider: string, change: (database: DatabaseSync) => void): Promise<void> {
  const { data } = server;
  await server.stop();
  const database = new DatabaseSync(join(data, 'unsay.db'));
  change(database);
  database.close();
  server = await startServer(data, { UNSAY_KEY_PROVIDER: provider });
}

/** A record with one bit changed: in a word of it, where it can be read, so that it stays well-formed. */
function altered(record: unknown, word: string): Uint8Array {
  const bytes = Buffer.from(record as Uint8Array);
  const at = Math.max(0, bytes.indexOf(word));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
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

describe.each([
  ['sealed', 'local'],
  // Whoever has the keys seals what they changed: then only the chains are left to tell.
  ['in plaintext', 'none'],
])('a store %s that was tampered with', (_how, provider) => {
  const data = temporaryFolder();

  beforeAll(async () => {
    server = await startServer(data, { UNSAY_KEY_PROVIDER: provider });
  });

  afterAll(async () => {
    await server?.kill();
    removeFolder(data);
  });

  it('is found broken at that very version, over HTTP and on the command line, and the rest is not', async () => {
    expect((await chains()).get('care://ray/weight_bearing')).toMatchObject({ intact: true });
    await tamper(provider, (database) => {
      // The only fact with two versions is the one that both of these belong to.
      const row = database.prepare('SELECT position, ciphertext FROM versions WHERE version = 2').get();
      database
        .prepare('UPDATE versions SET ciphertext = ? WHERE position = ?')
        .run(altered(row?.ciphertext, 'leg'), row?.position ?? 0);
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

  it('is found to lack a fact that was removed whole, though every chain that is left holds', async () => {
    await tamper(provider, (database) => {
      const removed = database
        .prepare("SELECT topic_index AS fact FROM versions WHERE audience = 'assistant' AND lane_ordinal = 1")
        .get()?.fact as Uint8Array;
      for (const table of ['journal', 'versions', 'facts'])
        expect(
          database.prepare(`DELETE FROM ${table} WHERE subject = 'ray' AND topic_index = ?`).run(removed),
        ).toMatchObject({ changes: 1 });
    });
    expect((await chains()).get('care://ray/wound')).toMatchObject({ intact: true });
    const { code, stdout } = await server.unsay('verify', '--json');
    expect(code).toBe(1);
    const { intact, broken } = JSON.parse(stdout) as { intact: boolean; broken: object[] };
    expect(intact).toBe(false);
    expect(broken).toContainEqual({ uri: 'care-internal://ray/', version: 1 });
    expect((await server.unsay('read', 'care://ray/wound')).code).toBe(0);
  });

  it('is found to have a log of attempts that does not hold', async () => {
    await tamper(provider, (database) => {
      const row = database.prepare('SELECT row_index, ciphertext FROM audit WHERE row_index = 3').get();
      database
        .prepare('UPDATE audit SET ciphertext = ? WHERE row_index = 3')
        .run(altered(row?.ciphertext, 'demonstration'));
    });
    const { stdout } = await server.unsay('audit', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ intact: false });
  });
});
