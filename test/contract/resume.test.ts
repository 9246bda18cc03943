import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStream } from '../harness/event-stream.ts';
import { openSession, type RawSession } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const WOUND = 'care://ray/wound';
const EXERCISES = 'care://ray/exercises';
const RISK = 'care-internal://ray/risk';

let data: string;
let server: RunningServer;

beforeEach(() => {
  data = temporaryFolder();
});

afterEach(async () => {
  await server?.kill();
  removeFolder(data);
});

/** What an event tells of, and its id. */
interface Told {
  readonly id: string | undefined;
  readonly of: string;
}

function told(event: string | undefined): Told {
  const lines = (event ?? 'data: {"method":"over"}').split('\n');
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const message = JSON.parse(field('data') ?? '{}') as { method?: string; params?: { uri?: string } };
  return { id: field('id'), of: message.params?.uri ?? message.method ?? 'nothing' };
}

/** Everything that comes before the announcement of one more correction of a fact. */
async function toldBefore(stream: EventStream, uri: string): Promise<Told[]> {
  await publish(server.url, uri, `The end, at ${process.hrtime.bigint()}.`);
  const events: Told[] = [];
  for (;;) {
    const event = told(await stream.next());
    if (event.of === uri) return events;
    events.push(event);
  }
}

async function following(token: string, ...uris: readonly string[]): Promise<RawSession> {
  const session = await openSession(server.url, token);
  for (const uri of uris) expect((await session.send('resources/subscribe', { uri })).status).toBe(200);
  return session;
}

const correct = async (...uris: readonly string[]): Promise<void> => {
  for (const uri of uris) await publish(server.url, uri, `Corrected at ${process.hrtime.bigint()}.`);
};

describe('a client of the older era that lost its stream', () => {
  it('is told of all that it missed, in order, once, and of nothing that is not its own', async () => {
    server = await startServer(data);
    const session = await following(await server.mint('care.read.user'), WOUND, EXERCISES);
    const stream = await session.stream();
    await correct(WOUND);
    const { id, of } = told(await stream.next());
    expect([typeof id, of]).toEqual(['string', WOUND]);
    stream.close();

    await correct(EXERCISES, RISK, WOUND, RISK, EXERCISES);
    const again = await session.resume(id);
    const missed = [told(await again.next()), told(await again.next()), told(await again.next())];
    expect(missed.map((each) => each.of)).toEqual([EXERCISES, WOUND, EXERCISES]);
    expect(new Set(missed.map((each) => each.id)).size).toBe(3);
    expect(again.raw).not.toContain('risk');
    expect(await toldBefore(again, WOUND)).toEqual([]);
    again.close();

    // From the middle of what was replayed on, and from its end.
    const middle = await session.resume(missed[1]?.id);
    expect(told(await middle.next())).toEqual(missed[2]);
    expect(await toldBefore(middle, EXERCISES)).toEqual([{ id: expect.any(String), of: WOUND }]);
    middle.close();
  });

  it('goes on with its session after the server was killed and started again', async () => {
    server = await startServer(data);
    const { port } = new URL(server.url);
    const token = await server.mint('care.read.user');
    const session = await following(token, WOUND, EXERCISES);
    const stream = await session.stream();
    await correct(WOUND);
    const { id } = told(await stream.next());
    await server.kill();
    server = await startServer(data, { UNSAY_PORT: port });
    await correct(EXERCISES, RISK, WOUND);
    const again = await session.at(server.url).resume(id);
    expect([told(await again.next()).of, told(await again.next()).of]).toEqual([EXERCISES, WOUND]);
    expect(await toldBefore(again, EXERCISES)).toEqual([]);
    again.close();
  });

  it('misses nothing when its stream was lost before it read a single event', async () => {
    server = await startServer(data);
    const session = await following(await server.mint('care.read.user'), WOUND, EXERCISES);
    await correct(WOUND);
    const stream = await session.stream();
    expect(told(await stream.next()).of).toBe(WOUND);
    stream.close();
    await correct(EXERCISES, EXERCISES);
    // It has no id to come back with: each resource that changed since it came is named once.
    const again = await session.resume(undefined);
    expect([told(await again.next()).of, told(await again.next()).of]).toEqual([WOUND, EXERCISES]);
    expect(await toldBefore(again, WOUND)).toEqual([]);
    again.close();
    // It read the very first event, which carries nothing but an id.
    const once = await session.resume(stream.firstId);
    const missed = [told(await once.next()).of, told(await once.next()).of, told(await once.next()).of];
    expect(missed).toEqual([WOUND, EXERCISES, EXERCISES]);
    once.close();
  });

  it('is told of a gap past the limit, and then of each resource that it follows, once', async () => {
    server = await startServer(data, { UNSAY_REPLAY_LIMIT: '2' });
    const session = await following(await server.mint('care.read.user'), WOUND, EXERCISES);
    const stream = await session.stream();
    await correct(WOUND);
    const { id } = told(await stream.next());
    stream.close();
    await correct(WOUND, RISK, WOUND);
    const within = await session.resume(id);
    expect([told(await within.next()).of, told(await within.next()).of]).toEqual([WOUND, WOUND]);
    within.close();
    await correct(WOUND);
    const past = await session.resume(id);
    const gap = [told(await past.next()), told(await past.next()), told(await past.next())];
    expect(gap).toEqual([
      { id: undefined, of: 'notifications/resources/gap' },
      { id: undefined, of: WOUND },
      { id: expect.any(String), of: EXERCISES },
    ]);
    expect(await toldBefore(past, WOUND)).toEqual([]);
    past.close();
    // Who has read the last of it has been told of all.
    const after = await session.resume(gap[2]?.id);
    expect(told(await after.next()).of).toBe(WOUND);
    expect(await toldBefore(after, EXERCISES)).toEqual([]);
    after.close();
  });

  it.each([
    ['made up', () => 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['of another listener', (other: string) => other],
  ])('is told of a gap for an id that is %s', async (_which, idOf) => {
    server = await startServer(data);
    const theirs = await following(await server.mint('care.read.user', { sub: 'someone' }), WOUND);
    const stream = await theirs.stream();
    const session = await following(await server.mint('care.read.user', { sub: 'ray' }), WOUND);
    const again = await session.resume(idOf(stream.firstId ?? ''));
    expect([told(await again.next()).of, told(await again.next()).of]).toEqual([
      'notifications/resources/gap',
      WOUND,
    ]);
    expect(again.firstId).not.toBe(stream.firstId);
    stream.close();
    again.close();
  });

  it('is told nothing of what it may no longer hear', async () => {
    server = await startServer(data);
    const wide = await server.mint('care.read.user care.read.assistant');
    const session = await following(wide, WOUND, RISK);
    const stream = await session.stream();
    await correct(RISK);
    const { id } = told(await stream.next());
    stream.close();
    await correct(RISK, WOUND);
    const narrow = await server.mint('care.read.user');
    const again = await session.resume(id, narrow);
    // The id names an entry that it may not hear of any more, so nobody can say what it missed.
    expect([told(await again.next()).of, told(await again.next()).of]).toEqual([
      'notifications/resources/gap',
      WOUND,
    ]);
    expect(again.raw).not.toContain('risk');
    again.close();
    expect(
      (await session.resume(id, await server.mint('care.read.user', { sub: 'other' }))).response.status,
    ).toBe(404);
  });
});
