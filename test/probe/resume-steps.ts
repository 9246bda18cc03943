import { awaited, holds, type Page, type Step } from '../e2e/story.ts';
import { EventStream } from '../harness/event-stream.ts';
import { modernHeaders, modernMessage, openSession, post, type RawSession } from '../harness/raw-mcp.ts';
import { type RunningServer, startServer } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const WOUND = 'care://ray/wound';
const EXERCISES = 'care://ray/exercises';
const MISSED = [EXERCISES, WOUND, EXERCISES];

/** A server that is stopped, killed and started again on one folder. */
export class ResumeWorld {
  readonly #data: string;
  #starting: Promise<RunningServer> | undefined;

  constructor(data: string) {
    this.#data = data;
  }

  async server(): Promise<RunningServer> {
    this.#starting ??= startServer(this.#data);
    return this.#starting;
  }

  /** Kills the server as a power cut would, and starts it again at the same address. */
  async killAndStart(): Promise<RunningServer> {
    const before = await this.server();
    await before.kill();
    this.#starting = startServer(this.#data, { UNSAY_PORT: new URL(before.url).port });
    return this.#starting;
  }

  async end(): Promise<void> {
    await this.#starting?.then(
      (server) => server.stop(),
      () => {},
    );
  }
}

/** The story of a lost stream, told of both eras. */
export const RESUME_STEPS: readonly Step<ResumeWorld>[] = [
  {
    title: 'Older era: the stream is dropped, and three corrections are written in the dark',
    async tell(world, page) {
      const server = await world.server();
      const session = await following(server);
      const stream = await session.stream();
      await publish(server.url, WOUND, line());
      const { id } = told(await next(stream));
      stream.close();
      page.say('the stream is dropped after its first correction');
      await inTheDark(server, page);
      await onlyTheMissed(server, await session.resume(id), page);
    },
  },
  {
    title: 'Older era: the server is killed and started again in between',
    async tell(world, page) {
      const before = await world.server();
      const session = await following(before);
      const stream = await session.stream();
      await publish(before.url, WOUND, line());
      const { id } = told(await next(stream));
      stream.close();
      await publish(before.url, EXERCISES, line());
      const server = await world.killAndStart();
      page.say('one correction, then kill -9 and a start, then two more');
      for (const uri of MISSED.slice(1)) await publish(server.url, uri, line());
      await onlyTheMissed(server, await session.at(server.url).resume(id), page);
    },
  },
  {
    title: 'Older era: the very first event was missed',
    async tell(world, page) {
      const server = await world.server();
      const session = await following(server);
      const stream = await session.stream();
      const opening = stream.firstId;
      holds(opening !== undefined, 'the stream did not open with an id');
      stream.close();
      page.say('the stream is dropped before it carried any correction');
      await inTheDark(server, page);
      await onlyTheMissed(server, await session.resume(opening), page);
    },
  },
  {
    title: 'Newer era: the same through the Events extension',
    async tell(world, page) {
      const server = await world.server();
      const token = await server.mint('care.read.user', { sub: 'event-listener' });
      const listed = await post(
        server.url,
        modernMessage('events/list', {}),
        modernHeaders(token, 'events/list'),
      );
      const { result } = (await listed.json()) as { result?: { events: readonly { name: string }[] } };
      holds(
        result?.events.some(({ name }) => name === 'correction') === true,
        'events/list offers no correction',
      );
      const stream = await follow(server, token, null);
      await publish(server.url, WOUND, line());
      const { cursor } = await event(stream);
      stream.close();
      page.say('the stream is dropped; its cursor is kept');
      await inTheDark(server, page);
      const restarted = await world.killAndStart();
      const again = await follow(restarted, token, cursor);
      const missed = [await event(again), await event(again), await event(again)].map(({ uri }) => uri);
      holdsInOrder(missed, page);
      await publish(restarted.url, WOUND, line());
      holds((await event(again)).uri === WOUND, 'something was told a second time');
      again.close();
    },
  },
];

async function following(server: RunningServer): Promise<RawSession> {
  const session = await openSession(server.url, await server.mint('care.read.user', { sub: 'listener' }));
  for (const uri of [WOUND, EXERCISES]) await (await session.send('resources/subscribe', { uri })).text();
  return session;
}

async function inTheDark(server: RunningServer, page: Page): Promise<void> {
  for (const uri of MISSED) await publish(server.url, uri, line());
  page.say(`written in the dark: ${MISSED.join(', ')}`);
}

/** All that was missed, in order, once: the next thing after it is the next correction. */
async function onlyTheMissed(server: RunningServer, stream: EventStream, page: Page): Promise<void> {
  const events = [told(await next(stream)), told(await next(stream)), told(await next(stream))];
  holdsInOrder(
    events.map(({ of }) => of),
    page,
  );
  holds(new Set(events.map(({ id }) => id)).size === 3, 'two events have one id');
  await publish(server.url, WOUND, line());
  const after = told(await next(stream));
  holds(after.of === WOUND && !events.some(({ id }) => id === after.id), 'something was told a second time');
  stream.close();
}

function holdsInOrder(missed: readonly string[], page: Page): void {
  page.say(`told after the reconnect: ${missed.join(', ')}`);
  holds(JSON.stringify(missed) === JSON.stringify(MISSED), `it should have been ${MISSED.join(', ')}`);
}

async function next(stream: EventStream): Promise<string> {
  const event = await awaited(stream.next(), 'the next event');
  holds(event !== undefined, 'the stream ended');
  return event;
}

/** What an event of the older era tells of, and its id. */
function told(event: string): { readonly id: string | undefined; readonly of: string } {
  const lines = event.split('\n');
  const field = (name: string): string | undefined =>
    lines.find((each) => each.startsWith(`${name}: `))?.slice(name.length + 2);
  const message = JSON.parse(field('data') ?? '{}') as { method?: string; params?: { uri?: string } };
  return { id: field('id'), of: message.params?.uri ?? message.method ?? 'nothing' };
}

function follow(server: RunningServer, token: string, cursor: string | null): Promise<EventStream> {
  return EventStream.open(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      ...modernHeaders(token, 'events/stream'),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(modernMessage('events/stream', { name: 'correction', cursor }, 7)),
  });
}

/** The next event of the Events extension: the fact that it tells of, and where its reader stands then. */
async function event(stream: EventStream): Promise<{ readonly uri: string; readonly cursor: string }> {
  for (;;) {
    const frame = (await awaited(stream.message(), 'the next event')) as
      | {
          readonly method: string;
          readonly params: { readonly cursor: string; readonly data?: { uri: string } };
        }
      | undefined;
    holds(frame !== undefined, 'the stream ended');
    const { cursor, data } = frame.params;
    if (data !== undefined) return { uri: data.uri, cursor };
  }
}

function line(): string {
  return `Corrected at ${process.hrtime.bigint()}.`;
}
