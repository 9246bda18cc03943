import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import type { EventStream } from '../harness/event-stream.ts';
import { askModern, followEvents, nextEvents, nextFrame, pollEvents } from '../harness/events-client.ts';
import { initialize, openSession, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';

const WOUND = 'care://ray/wound';
const RISK = 'care-internal://ray/risk';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

const folders: string[] = [];
const clock = new ClockFile();
/** The server that everything is asked of: one for all, unless a test starts one of its own. */
let server: RunningServer;
let shared: RunningServer;

async function start(settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const data = temporaryFolder();
  folders.push(data);
  return startServer(data, { UNSAY_CLOCK: clock.setting, ...settings });
}

beforeAll(async () => {
  shared = await start();
  server = shared;
});

afterEach(async () => {
  if (server !== shared) await server.kill();
  server = shared;
});

afterAll(async () => {
  await shared?.kill();
  folders.forEach(removeFolder);
  clock.remove();
});

const write = (uri: string): ReturnType<typeof publish> =>
  publish(server.url, uri, `Corrected at ${process.hrtime.bigint()}.`, clock.now);

const correct = async (...uris: readonly string[]): Promise<void> => {
  for (const uri of uris) await write(uri);
};

type Json = Readonly<Record<string, unknown>>;

const ask = (method: string, params: Json, token: string): Promise<Json> =>
  askModern(server.url, method, params, token);
const poll = (token: string, cursor: string | null, more: Json = {}): ReturnType<typeof pollEvents> =>
  pollEvents(server.url, token, cursor, more);
const follow = (token: string, cursor: string | null, more: Json = {}): Promise<EventStream> =>
  followEvents(server.url, token, cursor, more);

describe('events', () => {
  it('are declared, listed and described, to the newer era alone', async () => {
    const token = await server.mint('care.read.user');
    const discovered = await ask('server/discover', {}, token);
    expect(discovered).toMatchObject({
      result: { capabilities: { extensions: { 'io.modelcontextprotocol/events': {} } } },
    });
    expect(await ask('events/list', {}, token)).toMatchObject({
      result: {
        resultType: 'complete',
        events: [
          {
            name: 'correction',
            delivery: ['push', 'poll'],
            inputSchema: { type: 'object', properties: { subject: {}, uris: {} } },
            payloadSchema: { required: ['uri', 'version', 'previousVersion', 'kind'] },
          },
        ],
      },
    });
    expect(await ask('events/list', { cursor: 'more' }, token)).toMatchObject({ error: { code: -32602 } });
    expect(await ask('events/subscribe', { name: 'correction' }, token)).toMatchObject({
      error: { code: -32601 },
    });

    const opened = await post(server.url, initialize(), { authorization: `Bearer ${token}` });
    expect(await opened.text()).not.toContain('io.modelcontextprotocol/events');
    const session = await openSession(server.url, token);
    for (const method of ['events/list', 'events/poll', 'events/stream']) {
      const answer = await session.send(method, { name: 'correction' });
      expect(await answer.json()).toMatchObject({ error: { code: -32601 } });
    }
  });

  it('say which version took which one’s place, and never a word of either', async () => {
    const token = await server.mint('care.read.user');
    const { cursor } = await poll(token, null);
    const stream = await follow(token, null);
    const { version, writtenAt } = await write(WOUND);
    const occurrence = {
      eventId: `${WOUND}/v${version}`,
      name: 'correction',
      timestamp: writtenAt,
      data: { uri: WOUND, version, previousVersion: version - 1, kind: 'revise' },
    };
    const meta = { [SUBSCRIPTION_ID]: 7 };
    const active = await nextFrame(stream);
    expect(active).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/events/active',
      params: { cursor, truncated: false, _meta: meta },
    });
    const { params } = await nextFrame(stream);
    expect(params).toEqual({ ...occurrence, cursor: expect.any(String), _meta: meta });
    const answer = await ask('events/poll', { name: 'correction', cursor }, token);
    expect(answer.result).toEqual({
      resultType: 'complete',
      events: [occurrence],
      cursor: params.cursor,
      truncated: false,
      hasMore: false,
      nextPollMs: 5000,
      _meta: expect.anything(),
    });
    expect(`${stream.raw}${JSON.stringify(answer)}`).not.toContain('Corrected at');
    stream.close();
  });
});

describe('nobody is told', () => {
  it('of what another token may hear, by poll or by stream', async () => {
    const [narrow, wide, stranger] = await Promise.all([
      server.mint('care.read.user'),
      server.mint(READ_BOTH),
      server.mint('care.read.user', { subject: 'kim' }),
    ]);
    const tokens = [narrow, wide, stranger];
    const starts = await Promise.all(tokens.map((token) => poll(token, null)));
    const streams = await Promise.all(tokens.map((token) => follow(token, null)));
    for (const stream of streams) await nextFrame(stream);
    await correct(RISK, WOUND);
    const polled = await Promise.all(tokens.map((token, n) => poll(token, starts[n]?.cursor ?? '')));
    expect(polled.map((each) => each.told)).toEqual([[WOUND], [RISK, WOUND], []]);
    const [quiet, full, silent] = streams as [EventStream, EventStream, EventStream];
    expect((await nextEvents(full, 2)).uris).toEqual([RISK, WOUND]);
    expect((await nextEvents(quiet, 1)).uris).toEqual([WOUND]);
    await server.operate('token-revoke', { token: stranger });
    expect((await nextFrame(silent)).method).toBe('notifications/events/terminated');
    expect(quiet.raw).not.toContain('risk');
    quiet.close();
    full.close();
  });

  it('of what it may no longer hear, however it comes back', async () => {
    const wide = await server.mint(READ_BOTH);
    const { cursor } = await poll(wide, null);
    await correct(RISK, WOUND);
    const narrow = await server.mint('care.read.user');
    expect((await poll(narrow, cursor)).told).toEqual([WOUND]);
    const stream = await follow(narrow, cursor);
    await nextFrame(stream);
    expect((await nextEvents(stream, 1)).uris).toEqual([WOUND]);
    expect(stream.raw).not.toContain('risk');
    stream.close();
    // A cursor that stands at what it may not hear of says nothing to it.
    const { cursor: atRisk } = await poll(wide, cursor, { maxEvents: 1 });
    expect(await poll(narrow, atRisk)).toMatchObject({ told: [], truncated: true });
  });

  it('anything that tells what is forbidden from what is not there', async () => {
    const token = await server.mint('care.read.user');
    const answers = async (uri: string, subject: string): Promise<string> => {
      const stream = await follow(token, null, { arguments: { uris: [uri], subject } });
      const { params } = await nextFrame(stream);
      await correct(RISK);
      const polled = await poll(token, params.cursor, { arguments: { uris: [uri], subject } });
      stream.close();
      return JSON.stringify([params, polled]).replaceAll(params.cursor, '<the cursor>');
    };
    const forbidden = await answers(RISK, 'ray');
    expect(await answers('care-internal://ray/absent', 'ray')).toBe(forbidden);
    expect(await answers('nonsense', 'nobody')).toBe(forbidden);
    expect(await answers('care://kim/wound', 'kim')).toBe(forbidden);
  });
});

describe('a stream of events', () => {
  it('says that it is terminated when its token is revoked, and ends', async () => {
    const token = await server.mint('care.read.user');
    const stream = await follow(token, null);
    await nextFrame(stream);
    await server.operate('token-revoke', { token });
    expect(await nextFrame(stream)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/events/terminated',
      params: {
        error: { code: -32024, message: 'Forbidden', data: { reason: 'Access ended' } },
        _meta: { [SUBSCRIPTION_ID]: 7 },
      },
    });
    expect(await nextFrame(stream)).toMatchObject({ id: 7, result: { resultType: 'complete' } });
    expect(await stream.over).toBe('ended');
    await write(WOUND);
    expect(stream.raw).not.toContain('notifications/events/event');
  });

  it('says so when its token expires, though nothing happens', async () => {
    const token = await server.mint('care.read.user', { ttl: 60 });
    const stream = await follow(token, null);
    await nextFrame(stream);
    const { exp = 0 } = decodeJwt(token);
    clock.move(exp * 1000 - clock.now);
    expect((await nextFrame(stream)).method).toBe('notifications/events/terminated');
    expect(await stream.over).toBe('ended');
  });

  it('counts among the streams of its principal, and ends with a result at shutdown', async () => {
    server = await start({ UNSAY_STREAMS_PER_PRINCIPAL: '1' });
    const token = await server.mint('care.read.user');
    const stream = await follow(token, null);
    await nextFrame(stream);
    expect((await follow(token, null)).response.status).toBe(429);
    expect(await server.stop()).toBe(0);
    expect(await nextFrame(stream)).toMatchObject({
      id: 7,
      result: { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: 7 } },
    });
    expect(await stream.over).toBe('ended');
  });
});

describe('a cursor', () => {
  it('is refused when it is altered, another’s, of another subscription or of something else', async () => {
    const token = await server.mint('care.read.user');
    const { cursor } = await poll(token, null);
    const listed = (await ask('resources/list', {}, token)).result as { nextCursor?: string };
    const ofList = listed.nextCursor;
    expect(ofList).toEqual(expect.any(String));
    const altered = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`;
    const [sub, client] = await Promise.all([
      server.mint('care.read.user', { sub: 'another' }),
      server.mint('care.read.user', { client: 'another' }),
    ]);
    const refused: readonly (readonly [string, Json])[] = [
      [token, { cursor: altered }],
      [token, { cursor: '' }],
      [token, { cursor: ofList }],
      [token, { cursor, arguments: { subject: 'ray' } }],
      [sub, { cursor }],
      [client, { cursor }],
    ];
    const answers = await Promise.all(
      refused.flatMap(([holder, params]) =>
        ['events/poll', 'events/stream'].map(async (method) =>
          JSON.stringify(await ask(method, { name: 'correction', ...params }, holder)),
        ),
      ),
    );
    expect([...new Set(answers)]).toEqual([expect.stringContaining('"code":-32602')]);
    // The same holder under a new token goes on.
    expect(await poll(await server.mint('care.read.user'), cursor)).toMatchObject({ told: [] });
  });

  it.each([
    ['a type that is none', { name: 'creation' }, -32023],
    ['no type', {}, -32602],
    ['arguments of another form', { name: 'correction', arguments: { subject: 7 } }, -32602],
    ['an argument that is none', { name: 'correction', arguments: { topic: 'wound' } }, -32602],
    ['arguments that are a list', { name: 'correction', arguments: [] }, -32602],
    ['a cursor that is a number', { name: 'correction', cursor: 7 }, -32602],
    ['an age below nothing', { name: 'correction', maxAgeMs: -1 }, -32602],
    ['no events at all', { name: 'correction', maxEvents: 0 }, -32602],
  ])('is not given for %s', async (_what, params, code) => {
    const token = await server.mint('care.read.user');
    for (const method of ['events/poll', 'events/stream']) {
      expect(await ask(method, params, token)).toMatchObject({ error: { code } });
    }
  });
});

it('no request has made the server fail', () => {
  expect(shared.faults()).toBe('');
});
