import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, ERAS } from '../harness/era-client.ts';
import { freePort } from '../harness/free-port.ts';
import { followRaw } from '../harness/raw-mcp.ts';
import {
  ROOT,
  type RunningServer,
  removeFolder,
  startServer,
  temporaryFolder,
} from '../harness/running-server.ts';
import { type Published, type SignedWrite, send, signed, writeBody } from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';

const FIXTURES = join(ROOT, 'packages/storage/fixtures/first-release');
const SECRETS = ['cursor-key', 'token-key.json', 'unsay.db'];
// Four minutes later, so that the signatures of then are not yet too old.
const LATER_MS = 240_000;

/** What the release that wrote the folder said of it (its README). */
interface Expected {
  readonly at: string;
  readonly publicUrl: string;
  readonly writeSecret: string;
  readonly masterKey: string | null;
  readonly verdict: object;
  readonly chains: readonly {
    readonly uri: string;
    readonly versions: readonly { readonly value: string | null; readonly versionHash: string }[];
  }[];
  readonly usedSignatures: Readonly<Record<'accepted' | 'refused', SignedWrite>>;
  readonly answeredRequest: SignedWrite & { readonly answer: Published };
  readonly tokens: { readonly live: string; readonly revoked: string };
}

describe.each(['sealed', 'plain'])('a server on the %s folder of the first release', (kept) => {
  const data = temporaryFolder();
  const expected = JSON.parse(readFileSync(join(FIXTURES, kept, 'expected.json'), 'utf8')) as Expected;
  const now = Date.parse(expected.at) + LATER_MS;
  let server: RunningServer;
  let url: string;

  const write = (body: string, at: number): SignedWrite => signed(body, { secret: expected.writeSecret, at });

  beforeAll(async () => {
    for (const name of SECRETS) {
      cpSync(join(FIXTURES, kept, name), join(data, name));
      chmodSync(join(data, name), 0o600);
    }
    const port = await freePort();
    const { masterKey } = expected;
    server = await startServer(data, {
      UNSAY_PORT: String(port),
      UNSAY_PUBLIC_URL: expected.publicUrl,
      UNSAY_CLOCK: new Date(now).toISOString(),
      UNSAY_WRITE_SECRET: expected.writeSecret,
      ...(masterKey === null ? { UNSAY_KEY_PROVIDER: 'none' } : { UNSAY_MASTER_KEY: masterKey }),
    });
    url = `http://127.0.0.1:${port}`;
  });

  afterAll(async () => {
    await server?.kill();
    removeFolder(data);
  });

  it('finds every chain intact, and its audit log', async () => {
    expect(await server.operate('verify')).toEqual(expected.verdict);
    expect(await server.operate('audit')).toMatchObject({ intact: true });
    const found = (await server.exported()).filter(({ type }) => type === 'version');
    const hashes = expected.chains.flatMap(({ versions }) => versions.map(({ versionHash }) => versionHash));
    expect(new Set(found.map(({ versionHash }) => versionHash))).toEqual(new Set(hashes));
  });

  it('takes the token that was made then, and not the one that was revoked then', async () => {
    const verify = (token: string): Promise<Response> =>
      fetch(`${url}/verify?subject=mia`, { headers: { authorization: `Bearer ${token}` } });
    const answer = await verify(expected.tokens.live);
    expect(answer.status).toBe(200);
    const { chains } = (await answer.json()) as { chains: { uri: string; intact: boolean }[] };
    const ofMia = expected.chains.filter(({ uri }) => uri.includes('://mia/'));
    expect(chains.map(({ uri, intact }) => [uri, intact])).toEqual(ofMia.map(({ uri }) => [uri, true]));
    expect((await verify(expected.tokens.revoked)).status).toBe(401);
  });

  it.each(ERAS)('says every word of then to a %s client with a token of today', async (era) => {
    const client = await connect(era, url, await server.mint(READ_BOTH, { subject: 'ray,mia' }));
    for (const { uri, versions } of expected.chains) {
      for (const [index, { value }] of versions.entries()) {
        // What was taken back, and what was before it, has no words any more.
        if (versions.slice(index).some((later) => later.value === null)) continue;
        const { contents } = await client.call('resources/read', { uri: `${uri}/v${index + 1}` });
        expect((contents as { text: string }[])[0]?.text).toContain(value);
      }
    }
    await client.close();
  });

  it('refuses the signatures of then, and answers the request of then as it did', async () => {
    for (const used of Object.values(expected.usedSignatures)) {
      const { body, headers } = used;
      const again = await send(url, { body, headers });
      expect([again.status, await again.json()]).toMatchObject([401, { code: 'replayed' }]);
    }
    const { body, headers, answer } = expected.answeredRequest;
    const fresh = write(body, now);
    const key = headers['idempotency-key'] ?? '';
    const retried = await send(url, { body, headers: { ...fresh.headers, 'idempotency-key': key } });
    expect([retried.status, await retried.json()]).toEqual([201, answer]);
  });

  it.each(ERAS)('delivers a correction of what was said then to a %s listener', async (era) => {
    const uri = 'care://ray/weight_bearing';
    const token = await server.mint('care.read.user');
    const { chains } = (await (await fetch(`${url}/verify?subject=ray&topic=weight_bearing`)).json()) as {
      chains: { versions: Published[] }[];
    };
    const head = chains[0]?.versions.at(-1);
    const stream = await followRaw(era, url, token, [uri]);
    const sent = await send(url, write(writeBody(uri, `Corrected for ${era}.`), now));
    expect([sent.status, await sent.json()]).toMatchObject([
      201,
      { prevHash: head?.versionHash, subscribers: 1 },
    ]);
    expect(await stream.message()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri },
    });
    stream.close();
    expect(await server.operate('verify')).toMatchObject({ intact: true });
    expect(server.faults()).toBe('');
  });
});
