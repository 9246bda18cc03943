import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, ERAS, type Era, type EraClient, LIST_CHANGED } from '../harness/era-client.ts';
import type { EventStream } from '../harness/event-stream.ts';
import { followRaw, modernHeaders, modernMessage, openSession, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish, send, signed, writeBody } from '../harness/signed-write.ts';
import { AUTHOR_IDS, INTERNAL_WORDS, READ_BOTH, SPEAKABLE } from './demonstration.ts';

const WOUND = 'care://ray/wound';
const RISK = 'care-internal://ray/risk';

const data = temporaryFolder();
let server: RunningServer;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  await server?.kill();
  removeFolder(data);
});

async function client(era: Era, scope: string, sub = 'tester'): Promise<EraClient> {
  const connected = await connect(era, server.url, await server.mint(scope, { sub }));
  open.push(connected);
  return connected;
}

async function stream(era: Era, scope: string, uris: readonly string[]): Promise<EventStream> {
  const opened = await followRaw(era, server.url, await server.mint(scope), uris);
  open.push(opened);
  return opened;
}

let count = 0;
/** Words that were never written before and will never be again. */
function fresh(words: string): string {
  count += 1;
  return `${words} (sentence ${count} of this test)`;
}

async function wordsOf(reader: EraClient, uri: string): Promise<string> {
  const { contents } = await reader.call('resources/read', { uri });
  return String((contents as [{ _meta: Record<string, unknown> }])[0]._meta['unsay/value']);
}

const updated = (uri: string): object => ({ method: 'notifications/resources/updated', params: { uri } });
const listChanged = { method: 'notifications/resources/list_changed' };

describe.each(ERAS)('a %s follower', (era) => {
  it('hears of a creation that the list changed, of a correction the URI, and of the seed nothing', async () => {
    const device = await client(era, 'care.read.user');
    expect(await device.follow([...SPEAKABLE])).toEqual(SPEAKABLE);
    await publish(server.url, `care://ray/created_for_${era}`, 'Rest after lunch.');
    expect(await device.heard()).toBe(LIST_CHANGED);
    await publish(server.url, WOUND, fresh('Take the dressing off on Friday.'));
    expect(await device.heard()).toBe(WOUND);
    const [carried] = device.tap.streams;
    expect(carried?.raw.match(/"method":"notifications.resources/g)).toHaveLength(2);
  });

  it('is sent a URI and no word of content', async () => {
    const raw = await stream(era, READ_BOTH, [WOUND, RISK]);
    const values = [fresh('Shower for up to 3 minutes.'), fresh('Risk is low now.')];
    const before = raw.raw.length;
    const versions = [
      await publish(server.url, WOUND, values[0] ?? ''),
      await publish(server.url, RISK, values[1] ?? ''),
    ];
    const subscription = { 'io.modelcontextprotocol/subscriptionId': 7 };
    for (const uri of [WOUND, RISK]) {
      const params = era === 'modern' ? { uri, _meta: subscription } : { uri };
      expect(await raw.message()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params,
      });
    }
    const sent = raw.raw.slice(before);
    expect(
      sent
        .split('\n')
        .filter((line) => line !== '' && !/^(event: message|id: [\w-]+|data: \{.*\})$/.test(line)),
    ).toEqual([]);
    const hashes = versions.flatMap(({ versionHash, prevHash, writtenAt }) => [
      versionHash,
      String(prevHash),
      writtenAt,
    ]);
    for (const words of [...values, ...hashes, ...AUTHOR_IDS, ...INTERNAL_WORDS, 'test-author', 'care team'])
      expect(sent).not.toContain(words);
  });

  it('reads the new words, and first of all how the old ones are taken back', async () => {
    const device = await client(era, 'care.read.user');
    const first = await wordsOf(device, 'care://ray/exercises');
    const second = fresh('Do 8 slow heel slides with your left leg, not 10.');
    await publish(server.url, 'care://ray/exercises', second);
    const { contents } = await device.call('resources/read', { uri: 'care://ray/exercises' });
    const [{ text, _meta }] = contents as [{ text: string; _meta: Record<string, string> }];
    expect(text).toBe(second);
    const retraction = String(_meta['unsay/retraction']);
    expect(retraction.startsWith(`Stop. I take back what I said: “${first}” It now says: “${second}” `)).toBe(
      true,
    );
    expect(retraction).toContain('by your care team.');
    expect(retraction).toContain('“heel slides” means');
    // What somebody was told may be two versions old: the read of it takes back just that.
    const third = fresh('No heel slides today.');
    await publish(server.url, 'care://ray/exercises', third);
    const version = Number(_meta['unsay/version']) - 1;
    const old = await device.call('resources/read', { uri: `care://ray/exercises/v${version}` });
    const [oldContent] = old.contents as [{ text: string; _meta: Record<string, string> }];
    expect(oldContent.text).toBe(first);
    expect(oldContent._meta['unsay/retraction']).toContain(`what I said: “${first}” It now says: “${third}”`);
  });

  it('is acknowledged what it may hear, and nothing of what is forbidden or absent', async () => {
    const uris = [
      RISK,
      'care://ray/risk',
      'care://ray/absent',
      'care://mia/diet',
      'CARE://ray/wound',
      `${WOUND}/v1`,
      'x',
    ];
    const device = await client(era, 'care.read.user');
    expect(await device.follow([...uris, WOUND])).toEqual([WOUND]);
    const all = await client(era, READ_BOTH);
    expect(await all.follow([...uris, WOUND])).toEqual([RISK, WOUND]);
    if (era === 'legacy') {
      const told = device.tap.exchanges.filter(({ request }) => request.includes('resources/subscribe'));
      const answers = told.slice(0, uris.length).map(({ text }, index) => {
        return text.replaceAll(uris[index] ?? '', 'URI').replace(/"id":\d+/, '"id":N');
      });
      expect([...new Set(answers)]).toEqual([expect.stringContaining('"code":-32002')]);
    } else {
      const asked = await Promise.all(uris.map((uri) => stream(era, 'care.read.user', [uri])));
      const bytes = asked.map(({ raw }) => raw);
      expect([...new Set(bytes)]).toEqual([
        expect.stringContaining('"notifications":{"resourcesListChanged":true}'),
      ]);
    }
  });

  it('does not hear of a fact that it asked for before there was one', async () => {
    const uri = `care://ray/asked_early_by_${era}`;
    const raw = await stream(era, 'care.read.user', [uri, WOUND]);
    await publish(server.url, uri, fresh('One.'));
    await publish(server.url, uri, fresh('Two.'));
    await publish(server.url, WOUND, fresh('Three.'));
    expect(await raw.message()).toMatchObject(listChanged);
    expect(await raw.message()).toMatchObject(updated(WOUND));
  });

  it('hears of internal facts and other subjects only with the right to read them', async () => {
    const [device, all] = [
      await stream(era, 'care.read.user', [RISK, WOUND]),
      await stream(era, READ_BOTH, [RISK, WOUND]),
    ];
    await publish(server.url, `care-internal://ray/thought_by_${era}`, fresh('Internal.'));
    await publish(server.url, RISK, fresh('Internal.'));
    await publish(server.url, `care://mia/told_by_${era}`, fresh('Soup.'));
    await publish(server.url, `care://mia/told_by_${era}`, fresh('More soup.'));
    await publish(server.url, WOUND, fresh('Keep it dry.'));
    expect(await device.message()).toMatchObject(updated(WOUND));
    expect(await all.message()).toMatchObject(listChanged);
    expect(await all.message()).toMatchObject(updated(RISK));
    expect(await all.message()).toMatchObject(updated(WOUND));
    expect(device.raw).not.toContain('internal');
  });

  it('is counted for the writer while it speaks only what may be spoken', async () => {
    const uri = `care://ray/counted_${era}`;
    const write = async (): Promise<number> =>
      (await publish(server.url, uri, fresh('Counted.'))).subscribers;
    expect(await write()).toBe(0);
    const first = await stream(era, 'care.read.user', [uri]);
    expect(await write()).toBe(1);
    await stream(era, READ_BOTH, [uri]);
    await stream(era, 'care.read.user care.read.assistant care.speak', [uri]);
    await stream(era, 'care.read.user care.speak', [WOUND]);
    expect(await write()).toBe(1);
    const token = await server.mint('care.read.user care.speak');
    const second = await followRaw(era, server.url, token, [uri]);
    expect(await write()).toBe(2);
    await server.operate('token-revoke', { token });
    await second.over;
    expect(await write()).toBe(1);
    for (let times = 0; times < 4; times += 1) expect(await first.message()).toMatchObject(updated(uri));
  });
});

it('a legacy follower that was never served a list does not hear that it changed', async () => {
  const session = await openSession(server.url, await server.mint('care.read.user'));
  await session.send('resources/subscribe', { uri: WOUND });
  const raw = await session.stream();
  open.push(raw);
  await publish(server.url, 'care://ray/unlisted', fresh('One.'));
  await publish(server.url, WOUND, fresh('Two.'));
  expect(await raw.message()).toMatchObject(updated(WOUND));
  await session.send('resources/list', {});
  await publish(server.url, 'care://ray/unlisted_too', fresh('Three.'));
  expect(await raw.message()).toMatchObject(listChanged);
});

it.each([
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
  ['2026-07-28', '2099-01-01'],
])('a header that says %s over a body that says %s is refused', async (header, body) => {
  const token = await server.mint('care.read.user');
  const message = JSON.stringify(modernMessage('resources/read', { uri: WOUND })).replaceAll(
    '2026-07-28',
    body,
  );
  const headers = { ...modernHeaders(token, 'resources/read', WOUND), 'mcp-protocol-version': header };
  const answer = await post(server.url, message, headers);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32020 } });
});

const KEYS =
  'uri version kind value previousVersion previousValue writtenAt ageSeconds author attested retraction';

interface Changes {
  readonly changes: readonly Readonly<Record<string, unknown>>[];
  readonly cursor: string;
}

describe.each(ERAS)('whats_changed to a %s client', (era) => {
  async function ask(reader: EraClient, args: Record<string, unknown> = {}): Promise<Changes> {
    const { structuredContent, content } = await reader.tool('whats_changed', args);
    expect(JSON.parse((content as [{ text: string }])[0].text)).toEqual(structuredContent);
    expect(Object.keys(structuredContent as object)).toEqual(['changes', 'cursor']);
    return structuredContent as Changes;
  }
  const urisOf = ({ changes }: Changes): unknown[] => changes.map(({ uri }) => uri);

  it('tells each correction once, whole, and goes on from its cursor', async () => {
    const host = await client(era, 'care.read.user');
    const before = await ask(host);
    const uri = 'care://ray/hip_precautions';
    const old = await wordsOf(host, uri);
    const written = signed(writeBody(uri, fresh('Sit as you like.'), { authorLabel: 'the ward sister' }));
    const { version, writtenAt } = (await (await send(server.url, written)).json()) as Record<
      string,
      unknown
    >;
    await publish(server.url, `care://ray/no_correction_${era}`, fresh('A first version is none.'));
    const after = await ask(host, { after: before.cursor });
    expect(after.changes.map((change) => Object.keys(change).join(' '))).toEqual([KEYS]);
    const value = await wordsOf(host, uri);
    expect(after.changes[0]).toMatchObject({
      uri,
      version,
      kind: 'revise',
      value,
      previousVersion: Number(version) - 1,
      previousValue: old,
      writtenAt,
      author: 'the ward sister',
      attested: false,
    });
    const { retraction, ageSeconds } = after.changes[0] ?? {};
    expect(retraction).toMatch(/^Stop\. I take back what I said: “/);
    expect(String(retraction)).toContain(`“${old}” It now says: “${value}”`);
    expect(Number.isInteger(ageSeconds)).toBe(true);
    expect((await ask(host, { after: after.cursor })).changes).toEqual([]);
    // The earlier cursor still stands where it stood.
    expect(urisOf(await ask(host, { after: before.cursor }))).toEqual([uri]);
    expect(urisOf(await ask(host)).at(-1)).toBe(uri);
  });

  it('tells what was corrected since a time', async () => {
    const host = await client(era, 'care.read.user');
    const written = await publish(server.url, WOUND, fresh('Since now.'));
    const since = await ask(host, { since: written.writtenAt });
    expect(urisOf(since)).toEqual([WOUND]);
    const later = new Date(Date.parse(written.writtenAt) + 1).toISOString();
    expect((await ask(host, { since: later })).changes).toEqual([]);
    expect(urisOf(await ask(host, { since: '2020-01-01T00:00:00Z' })).length).toBeGreaterThan(1);
  });

  it('tells each caller what it may see, and nothing of any other subject', async () => {
    const [host, all] = [await client(era, 'care.read.user'), await client(era, READ_BOTH)];
    const [mine, its] = [await ask(host), await ask(all)];
    await publish(server.url, RISK, fresh('Internal.'));
    expect((await ask(host, { after: mine.cursor })).changes).toEqual([]);
    expect(urisOf(await ask(all, { after: its.cursor }))).toEqual([RISK]);
    expect(JSON.stringify(await ask(host))).not.toContain('internal');
    const uri = `care://zoe/${era}`;
    for (const value of ['One.', 'Two.']) await publish(server.url, uri, value);
    for (const subject of ['zoe', 'nobody', 'RAY', '*'])
      expect((await ask(all, { subject })).changes).toEqual([]);
    expect((await ask(all, { subject: 'ray' })).changes.length).toBeGreaterThan(1);
  });

  it('refuses a cursor that is not its own, and a time without a zone', async () => {
    const [host, other] = [await client(era, 'care.read.user'), await client(era, 'care.read.user', 'other')];
    const { cursor } = await ask(host);
    const page = String((await host.call('resources/list')).nextCursor);
    for (const after of [(await ask(other)).cursor, page, `${cursor}A`, cursor.slice(2), 'x', '']) {
      const refusal = await host.refusal('tools/call', { name: 'whats_changed', arguments: { after } });
      expect([after, refusal.code]).toEqual([after, -32602]);
    }
    for (const since of ['yesterday', '2026-12-01T09:00:00', '2026-02-30T09:00:00Z']) {
      const refusal = await host.refusal('tools/call', { name: 'whats_changed', arguments: { since } });
      expect(refusal.code).toBe(-32602);
    }
  });
});

it('no request has made the server fail', () => {
  expect(server.faults()).toBe('');
});
