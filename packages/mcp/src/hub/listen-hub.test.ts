import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caller } from '../caller.ts';
import { EVENT_STREAM_HEADERS } from '../http-answers.ts';
import { type FrameStyle, messageEvent } from './frame-style.ts';
import { createListenHub, type ListenHub, type ListenHubOptions } from './listen-hub.ts';
import { LIST } from './listener.ts';

const frames: FrameStyle = {
  key: 'plain',
  updated: (uri) => messageEvent(`"${uri}"`),
  listChanged: () => messageEvent('"list"'),
  logged: (data) => messageEvent(`"log ${data}"`),
  farewell: () => messageEvent('"farewell"'),
};
const everyone = () => true;

interface TestReader {
  readonly caller: Caller<string> & { live: boolean };
  readonly socket: Socket;
  /** The data of every event read so far. Nothing is read before `until` or `all` is called. */
  readonly seen: string[];
  until(enough: (seen: readonly string[]) => boolean): Promise<readonly string[]>;
  /** Reads until the connection is over. */
  all(): Promise<readonly string[]>;
}

let hub: ListenHub<string>;
let http: Server;
const clock = { ms: 0 };
const faults: unknown[] = [];
const openings = new Map<
  string,
  { caller: TestReader['caller']; uris: readonly string[]; list: boolean; open: () => void }
>();

/** A hub whose streams are opened by plain HTTP requests, so that a test may read as slowly as it likes. */
async function start(options: Partial<ListenHubOptions> = {}): Promise<void> {
  hub = createListenHub<string>({
    monotonicNow: () => clock.ms,
    onFault: (error) => faults.push(error),
    ...options,
  });
  http = createServer((req, res) => {
    const opening = openings.get(req.url ?? '');
    if (opening === undefined) return res.writeHead(404).end();
    const attachment = hub.attach(opening.caller, res, frames);
    if (attachment.kind !== 'attached') return res.writeHead(429).end();
    for (const uri of opening.uris) attachment.listener.add(uri);
    if (opening.list) attachment.listener.add(LIST);
    res.writeHead(200, EVENT_STREAM_HEADERS);
    attachment.listener.begin(messageEvent('"opening"'));
    return opening.open();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
}

async function read(name: string, uris: readonly string[], list = false): Promise<TestReader> {
  const caller = {
    principal: name,
    sub: name,
    clientId: 'c',
    live: true,
    isLive() {
      return this.live;
    },
  };
  const opened = new Promise<void>((open) => openings.set(`/${name}`, { caller, uris, list, open }));
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET /${name} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await opened;
  const seen: string[] = [];
  let text = '';
  let noticed: () => void = () => undefined;
  socket.setEncoding('utf8');
  const startReading = () => {
    if (socket.listenerCount('data') > 0) return;
    socket.on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('"\n\n'); end >= 0; end = text.indexOf('"\n\n')) {
        seen.push(text.slice(text.indexOf('data: "') + 'data: "'.length, end));
        text = text.slice(end + 3);
      }
      noticed();
    });
    socket.resume();
  };
  return {
    caller,
    socket,
    seen,
    until: (enough) =>
      new Promise((resolve) => {
        noticed = () => {
          if (enough(seen)) resolve(seen);
        };
        startReading();
      }),
    all: () =>
      new Promise((resolve) => {
        socket.on('close', () => resolve(seen));
        startReading();
      }),
  };
}

beforeEach(() => {
  clock.ms = 0;
  faults.length = 0;
  openings.clear();
});
afterEach(async () => {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

// The kernel buffers megabytes for a reader that does not read, so it takes long URIs to fill everything up.
const longUri = (n: number) => `x:${n}:${'y'.repeat(200_000)}`;
const long = Array.from({ length: 60 }, (_, n) => longUri(n));

it('keeps for a slow reader what changed, not each change, and loses nothing', async () => {
  await start({ bufferLimit: 65_536 });
  const slow = await read('slow', long);
  for (let round = 0; round < 5; round += 1) {
    for (const uri of long) hub.resourceUpdated(uri, everyone);
  }
  const { coalesced } = hub.counters;
  expect(coalesced).toBeGreaterThan(3 * long.length);

  const owed = 5 * long.length - coalesced;
  const seen = await slow.until(({ length }) => length === 1 + owed);
  expect(new Set(seen)).toEqual(new Set(['opening', ...long]));
  expect(hub.counters.sent).toBe(owed);
});

it('does not let a slow reader delay another', async () => {
  await start();
  const slow = await read('slow', long);
  const quick = await read('quick', long);
  for (const uri of long) hub.resourceUpdated(uri, everyone);

  expect(await quick.until(({ length }) => length === 1 + long.length)).toEqual(['opening', ...long]);
  expect(slow.seen).toEqual([]);
});

it('asks the rule again when a delayed frame is finally written', async () => {
  await start();
  const slow = await read('slow', [...long, 'x:last']);
  for (const uri of long) hub.resourceUpdated(uri, everyone);
  const before = hub.counters.sent;
  expect(before).toBeLessThan(long.length);
  // The rights are withdrawn while the frames wait.
  for (const uri of long) hub.resourceUpdated(uri, () => false);
  hub.resourceUpdated('x:last', everyone);

  const seen = await slow.until((events) => events.includes('x:last'));
  expect(seen).toEqual(['opening', ...long.slice(0, before), 'x:last']);
  expect(hub.counters.withheld).toBe(long.length);
});

it('sends none of the waiting frames after the token has ended', async () => {
  await start();
  const slow = await read('slow', long);
  for (const uri of long) hub.resourceUpdated(uri, everyone);
  slow.caller.live = false;
  hub.sweep();
  const events = await slow.all();

  expect(events.length).toBeLessThan(long.length);
  expect(events).not.toContain('farewell');
  expect(hub.counters).toMatchObject({ open: 0, expired: 1 });
});

it('sends none of the waiting frames after the token has ended, though nothing but the reader stirs', async () => {
  await start();
  const slow = await read('slow', long);
  for (const uri of long) hub.resourceUpdated(uri, everyone);
  const before = hub.counters.sent;
  slow.caller.live = false;
  // Its end keeps the connection, unless there are unread bytes to take back with it.
  const ended = slow.until(({ length }) => hub.counters.open === 0 || length > 1 + before);
  await Promise.race([ended, slow.all()]);

  expect(slow.seen).not.toContain(long[before]);
  expect(hub.counters).toMatchObject({ sent: before, open: 0, expired: 1 });
});

function laterEachTime(): number {
  clock.ms += 100;
  return clock.ms;
}

it('cuts off a reader that takes nothing for too long', async () => {
  // Each look at the clock takes a tenth of the limit, so that it runs on while the kernel's buffer fills.
  await start({ sweepMs: 5, stallLimitMs: 1_000, monotonicNow: laterEachTime });
  hub.start();
  const cut = new Promise((resolve) => {
    http.on('connection', (socket: Socket) => socket.on('close', resolve));
  });
  const slow = await read('slow', long);
  for (const uri of long) hub.resourceUpdated(uri, everyone);
  await cut;

  expect(slow.seen).toEqual([]);
  expect(hub.counters).toMatchObject({ open: 0, cutOff: 1 });
});

it('keeps the order of events for each reader when there are many', async () => {
  await start({ sliceSize: 3, streamsPerOwner: 64 });
  const readers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => read(`r${n}`, ['x:a', 'x:b', 'x:c'])),
  );
  const all = readers.map((reader) => reader.until(({ length }) => length === 4));
  for (const uri of ['x:b', 'x:a', 'x:c']) hub.resourceUpdated(uri, everyone);

  for (const events of await Promise.all(all)) expect(events).toEqual(['opening', 'x:b', 'x:a', 'x:c']);
});

it('merges a change that waits with the same change', async () => {
  await start({ sliceSize: 1 });
  const readers = await Promise.all(Array.from({ length: 4 }, (_, n) => read(`r${n}`, ['x:a', 'x:b'])));
  const all = readers.map((reader) => reader.until((seen) => seen.includes('x:b')));
  for (const uri of ['x:a', 'x:b', 'x:b', 'x:b']) hub.resourceUpdated(uri, everyone);

  for (const events of await Promise.all(all)) expect(events).toEqual(['opening', 'x:a', 'x:b']);
  expect(hub.counters.coalesced).toBe(2);
});

it('tells of a change of the list that waited with one the reader may not hear of', async () => {
  await start({ sliceSize: 1 });
  const readers = await Promise.all(['guest', 'staff', 'nobody'].map((name) => read(name, ['x:a'], true)));
  const all = readers.map((reader) => reader.until((seen) => seen.includes('x:a')));
  // The first event is under way, so that the others wait and are merged.
  hub.resourceListChanged((name) => name === 'staff');
  for (const heard of ['guest', 'staff', 'staff']) hub.resourceListChanged((name) => name === heard);
  hub.resourceUpdated('x:a', everyone);

  const [guest, staff, nobody] = await Promise.all(all);
  expect(guest).toEqual(['opening', 'list', 'x:a']);
  expect(staff).toEqual(['opening', 'list', 'list', 'x:a']);
  expect(nobody).toEqual(['opening', 'x:a']);
});

it('owes a slow reader the change of the list that is its own, whatever changes after it', async () => {
  await start();
  const slow = await read('guest', long, true);
  for (const uri of long) hub.resourceUpdated(uri, everyone);
  hub.resourceListChanged((name) => name === 'guest');
  hub.resourceListChanged((name) => name === 'staff');

  const seen = await slow.until((events) => events.length === long.length + 2);
  expect(seen).toEqual(['opening', ...long, 'list']);
});

it('takes a rule that throws for a refusal', async () => {
  await start();
  const reader = await read('r', ['x:a', 'x:b']);
  hub.resourceUpdated('x:a', () => {
    throw new Error('no such grant');
  });
  hub.resourceUpdated('x:b', everyone);

  expect(await reader.until(({ length }) => length === 2)).toEqual(['opening', 'x:b']);
  expect(faults).toEqual([expect.objectContaining({ message: 'no such grant' })]);
});

it('counts the open streams on a resource whose principals fit', async () => {
  await start();
  const [ana] = await Promise.all([read('ana', ['x:a']), read('bob', ['x:a']), read('eve', ['x:b'])]);

  expect(hub.listeners('x:a', everyone)).toBe(2);
  expect(hub.listeners('x:a', (name) => name === 'bob')).toBe(1);
  expect(hub.listeners('x:none', everyone)).toBe(0);
  ana.caller.live = false;
  expect(hub.listeners('x:a', everyone)).toBe(1);
});
