import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READ_BOTH } from '../contract/demonstration.ts';
import { connect, ERAS } from '../harness/era-client.ts';
import {
  type CommandResult,
  type RunningServer,
  removeFolder,
  startServer,
  temporaryFolder,
} from '../harness/running-server.ts';
import { publish, send, signed, writeBody } from '../harness/signed-write.ts';
import { flip, overwritePage, type Place, placesIn } from '../harness/stored-bytes.ts';

const TOPICS = Array.from({ length: 12 }, (_, index) => `topic-${String(index).padStart(2, '0')}`);
const VERSIONS = 3;
const uriOf = (topic: number): string => `care://mia/${TOPICS[topic]}`;
const wordsOf = (topic: number, version: number): string =>
  `Sentence ${version} of topic ${topic}. ${'It says more. '.repeat(10)}`;

const OLD_VERSION_HURT = 4;
const HEAD_HURT = 7;
const SOUND = TOPICS.map((_, index) => index).filter(
  (index) => ![OLD_VERSION_HURT, HEAD_HURT].includes(index),
);

const folder = temporaryFolder();
const whole = join(folder, 'whole');
let places: readonly Place[] = [];

function placeOf(topic: number, version: number): Place {
  const place = places[(version - 1) * TOPICS.length + topic];
  if (place?.version !== version) throw new Error('a version is not where it was written');
  return place;
}

beforeAll(async () => {
  const server = await startServer(whole);
  for (let version = 1; version <= VERSIONS; version += 1) {
    for (const topic of TOPICS.keys()) await publish(server.url, uriOf(topic), wordsOf(topic, version));
  }
  expect(await server.stop()).toBe(0);
  places = placesIn(whole, 'mia');
});

afterAll(() => removeFolder(folder));

interface Verified {
  readonly status: number;
  readonly code?: string;
  readonly chains?: readonly { readonly uri: string; readonly intact: boolean; readonly brokenAt?: number }[];
}

async function verify({ url }: RunningServer, token: string): Promise<Verified> {
  const answer = await fetch(`${url}/verify`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, ...((await answer.json()) as object) };
}

/** Nothing of the inside is told across the network, and the operator is told in sentences. */
async function expectNoInside(server: RunningServer, answered: string): Promise<void> {
  expect(answered).not.toMatch(/unsay\.db|damaged|StorageError|SQLITE|\bat \w+ \(/);
  const lines = (await server.anyFault()).split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const { message, stack } = JSON.parse(line) as { message: string; stack?: unknown };
    expect(message).toMatch(/^The store .*unsay\.db is damaged: .*\.$/);
    expect(stack).toBeUndefined();
  }
}

function expectDamaged({ code, stdout, stderr }: CommandResult): void {
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^The store [^\n]*unsay\.db is damaged: [^\n]*\n$/);
}

/** Changes the bytes of a store, while a server runs on it or before one starts. */
async function damaged(
  when: string,
  change: (data: string) => void,
  port = '0',
): Promise<{ server: RunningServer; token: string }> {
  const data = join(folder, when);
  removeFolder(data);
  cpSync(whole, data, { recursive: true });
  if (when === 'before it starts') change(data);
  const server = await startServer(data, { UNSAY_PORT: port });
  if (when === 'while it runs') change(data);
  return { server, token: await server.mint(READ_BOTH, { subject: 'mia' }) };
}

describe.each(['while it runs', 'before it starts'])('a bit that flips %s', (when) => {
  let server: RunningServer;
  let token: string;

  beforeAll(async () => {
    ({ server, token } = await damaged(when, (data) => {
      flip(data, placeOf(OLD_VERSION_HURT, 2));
      flip(data, placeOf(HEAD_HURT, VERSIONS));
    }));
  });

  afterAll(() => server?.kill());

  it.each(ERAS)('is an error for whoever reads that version over MCP, %s', async (era) => {
    const client = await connect(era, server.url, token);
    // What follows a lost version cannot say what it took back, and what is before a lost head whether it still holds.
    const refused = [
      `${uriOf(OLD_VERSION_HURT)}/v2`,
      uriOf(OLD_VERSION_HURT),
      uriOf(HEAD_HURT),
      `${uriOf(HEAD_HURT)}/v${VERSIONS}`,
      `${uriOf(HEAD_HURT)}/v2`,
    ];
    for (const uri of refused) {
      const { code, message, on } = await client.refusal('resources/read', { uri });
      expect([uri, code, message]).toEqual([uri, -32603, 'Internal error']);
      await expectNoInside(server, on.text);
    }
    const read = async (uri: string): Promise<string> => {
      const { contents } = (await client.call('resources/read', { uri })) as { contents: { text: string }[] };
      return contents[0]?.text ?? '';
    };
    for (const topic of SOUND) expect(await read(uriOf(topic))).toContain(wordsOf(topic, VERSIONS).trim());
    expect(await read(`${uriOf(OLD_VERSION_HURT)}/v1`)).toContain(wordsOf(OLD_VERSION_HURT, 1).trim());
    await client.close();
  });

  it('is found by /verify and by the command line, each broken version by its number', async () => {
    const { chains = [] } = await verify(server, token);
    const broken = chains
      .filter(({ intact }) => !intact)
      .map(({ uri, brokenAt }) => ({ uri, version: brokenAt }));
    const expected = [
      { uri: uriOf(OLD_VERSION_HURT), version: 2 },
      { uri: uriOf(HEAD_HURT), version: VERSIONS },
    ];
    expect([chains.length, broken]).toEqual([TOPICS.length, expected]);
    const byHand = await server.unsay('verify', '--json');
    expect([byHand.code, byHand.stderr]).toEqual([1, '']);
    expect(JSON.parse(byHand.stdout)).toMatchObject({ intact: false, broken: expected });
    expectDamaged(await server.unsay('read', uriOf(HEAD_HURT)));
  });

  it('keeps that fact from being written over, and no other', async () => {
    const refused = await send(server.url, signed(writeBody(uriOf(HEAD_HURT), 'Over what nobody can read.')));
    const text = await refused.text();
    expect([refused.status, JSON.parse(text)]).toMatchObject([500, { code: 'internal' }]);
    await expectNoInside(server, text);
    for (const topic of [...SOUND, OLD_VERSION_HURT]) {
      expect(await publish(server.url, uriOf(topic), 'Still writable.')).toMatchObject({
        version: VERSIONS + 1,
      });
    }
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.operate('audit')).toMatchObject({ intact: true });
  });
});

describe.each(['while it runs', 'before it starts'])('a page that is overwritten %s', (when) => {
  it('is an error for whoever reads what was on it, and everything else is served', async () => {
    const { server, token } = await damaged(when, (data) =>
      overwritePage(data, placeOf(HEAD_HURT, VERSIONS)),
    );
    try {
      const client = await connect('modern', server.url, token);
      const lost: number[] = [];
      for (const topic of TOPICS.keys()) {
        const uri = uriOf(topic);
        const words = await client.call('resources/read', { uri }).then(
          ({ contents }) => (contents as { text: string }[])[0]?.text,
          () => null,
        );
        if (words === null) {
          lost.push(topic);
          expect(await client.refusal('resources/read', { uri })).toMatchObject({ code: -32603 });
        } else expect(words).toContain(wordsOf(topic, VERSIONS).trim());
      }
      expect(lost).toContain(HEAD_HURT);
      expect(lost.length).toBeLessThan(TOPICS.length);
      await expectNoInside(server, client.tap.everything);
      await client.close();

      const { chains = [] } = await verify(server, token);
      const intact = chains.filter((chain) => chain.intact).map(({ uri }) => uri);
      const broken = chains.filter((chain) => !chain.intact);
      expect(chains).toHaveLength(TOPICS.length);
      expect(broken).toContainEqual(
        expect.objectContaining({ uri: uriOf(HEAD_HURT), brokenAt: expect.any(Number) }),
      );
      for (const topic of lost) expect(intact).not.toContain(uriOf(topic));
      expect((await server.unsay('verify')).code).toBe(1);
      const others = await server.mint(READ_BOTH);
      const { chains: ofRay = [] } = await verify(server, others);
      expect(ofRay.filter(({ intact }) => intact)).not.toEqual([]);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(await publish(server.url, 'care://eve/diet', 'Elsewhere.')).toMatchObject({ version: 1 });
    } finally {
      await server.kill();
    }
  });
});
