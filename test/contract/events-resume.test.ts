import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import type { EventStream } from '../harness/event-stream.ts';
import {
  type EventFrame,
  followEvents,
  nextEvents,
  nextFrame,
  pollEvents,
} from '../harness/events-client.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const WOUND = 'care://ray/wound';
const EXERCISES = 'care://ray/exercises';
const RISK = 'care-internal://ray/risk';

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

const poll = (token: string, cursor: string | null, more: Json = {}): ReturnType<typeof pollEvents> =>
  pollEvents(server.url, token, cursor, more);
const follow = (token: string, cursor: string | null, more: Json = {}): Promise<EventStream> =>
  followEvents(server.url, token, cursor, more);

/** Expects one more correction to be the very next thing that is told. */
async function expectNothingBefore(stream: EventStream, uri: string): Promise<void> {
  await write(uri);
  expect((await nextEvents(stream, 1)).uris).toEqual([uri]);
}

describe('a client that lost its stream', () => {
  it('is told of all that it missed, in order, once, from whichever frame it read last', async () => {
    const token = await server.mint('care.read.user');
    const stream = await follow(token, null);
    const { cursor: fromActive } = (await nextFrame(stream)).params;
    await correct(WOUND);
    const first = await nextEvents(stream, 1);
    stream.close();

    await correct(EXERCISES, RISK, WOUND, RISK, EXERCISES);
    const again = await follow(token, first.cursor);
    expect((await nextFrame(again)).params).toMatchObject({ cursor: first.cursor, truncated: false });
    const missed = await nextEvents(again, 3);
    expect(missed.uris).toEqual([EXERCISES, WOUND, EXERCISES]);
    await expectNothingBefore(again, WOUND);
    expect(again.raw).not.toContain('risk');
    again.close();

    // The very first event was missed too.
    const all = await follow(token, fromActive);
    await nextFrame(all);
    expect((await nextEvents(all, 5)).uris).toEqual([WOUND, EXERCISES, WOUND, EXERCISES, WOUND]);
    await expectNothingBefore(all, EXERCISES);
    all.close();
    const afterMissed = await poll(token, missed.cursor);
    expect(afterMissed.told).toEqual([WOUND, EXERCISES]);
    expect((await poll(token, afterMissed.cursor)).told).toEqual([]);
  });

  it('goes on after the server was killed and started again', async () => {
    server = await start();
    const { port } = new URL(server.url);
    const { data } = server;
    const token = await server.mint('care.read.user');
    const stream = await follow(token, null);
    await nextFrame(stream);
    await correct(WOUND);
    const { cursor } = await nextEvents(stream, 1);
    await server.kill();
    server = await startServer(data, { UNSAY_CLOCK: clock.setting, UNSAY_PORT: port });
    await correct(EXERCISES, RISK, WOUND, EXERCISES);
    expect((await poll(token, cursor)).told).toEqual([EXERCISES, WOUND, EXERCISES]);
    const again = await follow(token, cursor);
    await nextFrame(again);
    expect((await nextEvents(again, 3)).uris).toEqual([EXERCISES, WOUND, EXERCISES]);
    await expectNothingBefore(again, EXERCISES);
    again.close();
  });

  it('goes on from a sign of life', async () => {
    server = await start({ UNSAY_HEARTBEAT_SECONDS: '1' });
    const token = await server.mint('care.read.user');
    const stream = await follow(token, null, { arguments: { uris: [WOUND] } });
    await nextFrame(stream);
    await correct(EXERCISES);
    const heartbeat = (await stream.message()) as EventFrame;
    expect(heartbeat.method).toBe('notifications/events/heartbeat');
    stream.close();
    await correct(WOUND, EXERCISES);
    const again = await follow(token, heartbeat.params.cursor, { arguments: { uris: [WOUND] } });
    await nextFrame(again);
    expect((await nextEvents(again, 1)).uris).toEqual([WOUND]);
    await expectNothingBefore(again, WOUND);
    again.close();
  });

  it('polls what is left in parts, each once', async () => {
    const token = await server.mint('care.read.user');
    const start = await poll(token, null);
    await correct(WOUND, EXERCISES, WOUND);
    const two = await poll(token, start.cursor, { maxEvents: 2 });
    expect(two).toMatchObject({ told: [WOUND, EXERCISES], hasMore: true, truncated: false });
    expect(await poll(token, two.cursor, { maxEvents: 2 })).toMatchObject({ told: [WOUND], hasMore: false });
  });

  it('is told of a gap past the limit, and goes on from now', async () => {
    server = await start({ UNSAY_REPLAY_LIMIT: '2' });
    const token = await server.mint('care.read.user');
    const { cursor } = await poll(token, null);
    await correct(WOUND, RISK, WOUND);
    expect(await poll(token, cursor)).toMatchObject({ told: [WOUND, WOUND], truncated: false });
    await correct(EXERCISES);
    const gap = await poll(token, cursor);
    expect(gap).toMatchObject({ told: [], truncated: true, hasMore: false });
    const stream = await follow(token, cursor);
    expect((await nextFrame(stream)).params).toMatchObject({ cursor: gap.cursor, truncated: true });
    await expectNothingBefore(stream, EXERCISES);
    stream.close();
    expect(await poll(token, gap.cursor)).toMatchObject({ told: [EXERCISES], truncated: false });
  });

  it('is told of a gap where it wants nothing that is old', async () => {
    const token = await server.mint('care.read.user');
    const { cursor } = await poll(token, null);
    await correct(WOUND);
    clock.move(60_000);
    await correct(EXERCISES);
    const young = { maxAgeMs: 30_000 };
    expect(await poll(token, cursor, young)).toMatchObject({ told: [EXERCISES], truncated: true });
    const stream = await follow(token, cursor, young);
    const active = await nextFrame(stream);
    expect(active.params.truncated).toBe(true);
    expect((await nextEvents(stream, 1)).uris).toEqual([EXERCISES]);
    expect(await poll(token, active.params.cursor)).toMatchObject({ told: [EXERCISES], truncated: false });
    expect(await poll(token, cursor, { maxAgeMs: 90_000 })).toMatchObject({ truncated: false });
    stream.close();
  });
});
