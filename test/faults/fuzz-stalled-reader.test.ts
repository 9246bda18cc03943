import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventStream } from '../harness/event-stream.ts';
import { followRaw, modernHeaders, modernMessage } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import { expectUnharmed, modernBytes, Wire } from './fuzz-wire.ts';

const WARM_UP = 400;
const CORRECTIONS = 10_000;
const WRITERS = 16;
const FACTS = 250;
/** Without a bound, what is kept for these readers is twice this. */
const MOST_GROWTH_KIB = 160 * 1024;

const uri = (n: number): string => `care://ray/stalled-${n % FACTS}`;
const URIS = Array.from({ length: FACTS }, (_, n) => uri(n));

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

/** What the largest process of the server holds in memory, in KiB; 0 where there is no /proc to tell. */
function residentKib(): number {
  if (!existsSync('/proc')) return 0;
  const sizes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        const isOurs = readFileSync(join('/proc', pid, 'environ'), 'utf8').includes(`UNSAY_DATA=${data}\0`);
        if (!isOurs) return 0;
        return Number(
          /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(join('/proc', pid, 'status'), 'utf8'))?.[1] ?? 0,
        );
      } catch {
        // It has ended since it was listed.
        return 0;
      }
    });
  return Math.max(0, ...sizes);
}

/** Opens a stream whose every frame is long, and reads nothing of it any more once it is open. */
async function stalled(token: string, method: string, params: Record<string, unknown>): Promise<Wire> {
  const wire = await Wire.open(server.url);
  const id = 'i'.repeat(1_000);
  const bytes = modernBytes(token, method, params).toString('latin1');
  const [head = '', body = ''] = bytes.replace('"id":1,', `"id":"${id}",`).split('\r\n\r\n');
  wire.send(`${head.replace(/content-length: \d+/, `content-length: ${body.length}`)}\r\n\r\n${body}`);
  const [opening] = (await once(wire.socket, 'data')) as [Buffer];
  wire.socket.pause();
  expect(opening.toString('latin1')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  return wire;
}

async function followEvents(token: string): Promise<EventStream> {
  const stream = await EventStream.open(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      ...modernHeaders(token, 'events/stream'),
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
    },
    body: JSON.stringify(modernMessage('events/stream', { name: 'correction', cursor: null }, 7)),
  });
  await stream.next();
  return stream;
}

async function write(from: number, count: number): Promise<void> {
  let next = from;
  const writer = async (): Promise<void> => {
    while (next < from + count) {
      const n = next;
      next += 1;
      await publish(server.url, uri(n), `Corrected ${n}.`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

/** Reads until so many corrections were told; gives how often each URI was. */
async function countTold(stream: EventStream, count: number): Promise<ReadonlyMap<string, number>> {
  const told = new Map<string, number>();
  for (let seen = 0; seen < count; ) {
    const frame = (await stream.message()) as { params?: { data?: { uri: string } } } | undefined;
    if (frame === undefined) throw new Error(`the stream ended after ${seen}`);
    const about = frame.params?.data?.uri;
    if (about === undefined) continue;
    told.set(about, (told.get(about) ?? 0) + 1);
    seen += 1;
  }
  return told;
}

it('readers that read nothing cost little memory, and delay nobody: another is told of every correction', async () => {
  await write(0, FACTS);
  const attackers = await Promise.all(['one', 'two'].map((sub) => server.mint('care.read.user', { sub })));
  const filter = { notifications: { resourceSubscriptions: URIS, resourcesListChanged: true } };
  const wires = await Promise.all(
    attackers.flatMap((token) => [
      ...Array.from({ length: 15 }, () => stalled(token, 'subscriptions/listen', filter)),
      ...Array.from({ length: 5 }, () =>
        stalled(token, 'events/stream', { name: 'correction', cursor: null }),
      ),
    ]),
  );
  const token = await server.mint('care.read.user', { sub: 'quick' });
  const [events, listening] = [await followEvents(token), await followRaw('modern', server.url, token, URIS)];

  await Promise.all([write(FACTS, WARM_UP), countTold(events, WARM_UP)]);
  const before = residentKib();
  const [told] = await Promise.all([countTold(events, CORRECTIONS), write(FACTS + WARM_UP, CORRECTIONS)]);
  const growth = residentKib() - before;

  expect([...told.values()]).toEqual(URIS.map(() => CORRECTIONS / FACTS));
  expect(growth).toBeLessThan(MOST_GROWTH_KIB);
  // What is told by URI alone may be merged, but the last of all is told.
  const last = 'care://ray/stalled-0';
  await publish(server.url, last, 'The last correction.');
  for (let frame = await listening.next(); !frame?.includes(`"${last}"`); frame = await listening.next()) {
    if (frame === undefined) throw new Error('the stream ended');
  }
  for (const wire of wires) wire.socket.destroy();
  await expectUnharmed(server);
});
