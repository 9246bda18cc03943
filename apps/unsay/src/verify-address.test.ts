import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { verifyAddress } from './verify-address.ts';

const HASHES = ['a', 'b', 'c'].map((digit) => digit.repeat(64));

interface Version {
  readonly version: number;
  readonly kind: string;
  readonly versionHash: string | undefined;
  readonly prevHash: string | null | undefined;
  readonly writtenAt: string;
}

const SOUND: readonly Version[] = [
  {
    version: 1,
    kind: 'create',
    versionHash: HASHES[0],
    prevHash: null,
    writtenAt: '2033-01-01T00:00:00.000Z',
  },
  {
    version: 2,
    kind: 'revise',
    versionHash: HASHES[1],
    prevHash: HASHES[0],
    writtenAt: '2033-01-02T00:00:00.000Z',
  },
  {
    version: 3,
    kind: 'withdraw',
    versionHash: HASHES[2],
    prevHash: HASHES[1],
    writtenAt: '2033-01-03T00:00:00.000Z',
  },
];

/** A server that answers every request so, and says what it was asked. */
async function answering(status: number, body: string) {
  const asked: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.url} ${req.headers.authorization ?? 'anonymous'}`);
    res.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.dispose]: () => void server.close() };
}

const chainsOf = (versions: readonly Version[], verdict: object = { intact: true }): string =>
  JSON.stringify({ chains: [{ uri: 'care://ray/walking', versions, ...verdict }] });

const broken = (version: number) => ({
  ok: false,
  data: { intact: false, broken: [{ uri: 'care://ray/walking', version }] },
});

describe('what a server shows of its chains', () => {
  it('is intact when they link', async () => {
    using server = await answering(200, chainsOf(SOUND));
    expect(await verifyAddress(`${server.url}/ignored?path`, 'a-token')).toEqual({
      ok: true,
      data: { intact: true, chains: 1, versions: 3, erased: 0, broken: [] },
    });
    expect(server.asked).toEqual(['/verify Bearer a-token']);
  });

  it.each<[string, number, Partial<Version>, number]>([
    ['a number is missing', 1, { version: 3 }, 2],
    ['a hash does not follow', 2, { prevHash: HASHES[0] }, 3],
    ['a hash is none', 1, { versionHash: 'none' }, 2],
    ['the first follows something', 0, { prevHash: HASHES[2] }, 1],
    ['the first does not create', 0, { kind: 'revise' }, 1],
    ['a later one creates', 1, { kind: 'create' }, 2],
    ['time goes back', 1, { writtenAt: '2032-12-31T00:00:00.000Z' }, 2],
  ])('is broken where %s', async (_what, at, change, version) => {
    const versions = SOUND.map((sound, index) => (index === at ? { ...sound, ...change } : sound));
    using server = await answering(200, chainsOf(versions));
    expect(await verifyAddress(server.url, null)).toMatchObject(broken(version));
    expect(server.asked).toEqual(['/verify anonymous']);
  });

  it('is broken where the server says so, or has a fact without versions', async () => {
    using told = await answering(200, chainsOf(SOUND, { intact: false, brokenAt: 2 }));
    expect(await verifyAddress(told.url, null)).toMatchObject(broken(2));
    using untold = await answering(200, chainsOf(SOUND, { intact: false }));
    expect(await verifyAddress(untold.url, null)).toMatchObject(broken(1));
    using empty = await answering(200, chainsOf([]));
    expect(await verifyAddress(empty.url, null)).toMatchObject(broken(1));
  });

  it.each<[string, number, string]>([
    ['a token that is refused', 401, '{}'],
    ['another document', 200, '{"chains":[{"uri":1}]}'],
    ['a list of nothing known', 200, '{"chains":[{"uri":"x","intact":true,"versions":[null]}]}'],
    ['no JSON', 200, '<html>'],
    ['an error', 500, '{"chains":[]}'],
  ])('is no answer at all for %s', async (_what, status, body) => {
    using server = await answering(status, body);
    expect(await verifyAddress(server.url, null)).toMatchObject({
      ok: false,
      data: { error: expect.any(String) },
    });
  });

  it.each(['not an address', 'file:///etc/passwd', 'http://127.0.0.1:1'])(
    'is not asked of %s',
    async (url) => {
      expect(await verifyAddress(url, null)).toMatchObject({
        ok: false,
        data: { error: expect.any(String) },
      });
    },
  );
});
