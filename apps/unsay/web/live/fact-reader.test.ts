import { beforeEach, expect, test } from 'vitest';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import type { ReadAnswer } from './fact.ts';
import { FactReader } from './fact-reader.ts';
import { factOf } from './sample-fact.ts';

const URI = 'care://ray/gait';

const found = (version: number): ReadAnswer => ({ kind: 'found', fact: factOf(URI, version) });

/** A server whose answers come when the test lets them. */
class SlowServer {
  readonly asked: { uri: string; answer: (answer: ReadAnswer) => Promise<void> }[] = [];

  readonly read = (uri: string): Promise<ReadAnswer> =>
    new Promise((resolve) => {
      this.asked.push({
        uri,
        answer: async (answer) => {
          resolve(answer);
          await Promise.resolve();
          await Promise.resolve();
        },
      });
    });

  take(): { uri: string; answer: (answer: ReadAnswer) => Promise<void> } {
    const next = this.asked.shift();
    if (next === undefined) throw new Error('nothing was asked');
    return next;
  }
}

let seen: string[];
let scheduler: VirtualScheduler;
let server: SlowServer;
let reader: FactReader;

beforeEach(() => {
  seen = [];
  scheduler = new VirtualScheduler();
  server = new SlowServer();
  reader = new FactReader({
    scheduler,
    chance: () => 0,
    events: {
      suspect: () => void seen.push('suspect'),
      confirmed: ({ version }) => void seen.push(`confirmed ${version}`),
      unconfirmed: (_uri, reason) => void seen.push(`unconfirmed: ${reason}`),
      absent: () => void seen.push('absent'),
    },
  });
  reader.attach(server.read);
});

async function readFirst(version: number): Promise<void> {
  void reader.refresh(URI);
  await server.take().answer(found(version));
  seen.length = 0;
}

test('an announcement makes the words on hand suspect at once, and the re-read confirms the new ones', async () => {
  await readFirst(1);
  reader.announce(URI);
  expect(seen).toEqual(['suspect']);
  expect(reader.standing(URI)).toBe('checking');
  await server.take().answer(found(2));
  expect(seen).toEqual(['suspect', 'confirmed 2']);
  expect(reader.standing(URI)).toBe('confirmed');
});

test('an answer overtaken by a second announcement is not the last word', async () => {
  await readFirst(1);
  reader.announce(URI);
  reader.announce(URI);
  expect(server.asked).toHaveLength(1);
  await server.take().answer(found(2));
  expect(seen).toEqual(['suspect', 'suspect']);
  expect(reader.standing(URI)).toBe('checking');
  await server.take().answer(found(3));
  expect(seen).toEqual(['suspect', 'suspect', 'confirmed 3']);
});

test('an older version never replaces a newer one; it is read again', async () => {
  await readFirst(3);
  reader.announce(URI);
  await server.take().answer(found(2));
  expect(reader.fact(URI)?.version).toBe(3);
  expect(reader.standing(URI)).toBe('unconfirmed');
  scheduler.advance(250);
  await server.take().answer(found(4));
  expect(reader.fact(URI)?.version).toBe(4);
  expect(reader.standing(URI)).toBe('confirmed');
});

test('a failed read says so and is tried again, later each time', async () => {
  await readFirst(1);
  reader.announce(URI);
  await server.take().answer({ kind: 'failed', reason: 'no answer' });
  expect(seen).toEqual(['suspect', 'unconfirmed: no answer']);
  scheduler.advance(250);
  await server.take().answer({ kind: 'failed', reason: 'no answer' });
  scheduler.advance(499);
  expect(server.asked).toHaveLength(0);
  scheduler.advance(1);
  await server.take().answer(found(2));
  expect(reader.standing(URI)).toBe('confirmed');
  expect(scheduler.waiting).toBe(0);
});

test('a fact that the server no longer knows is gone', async () => {
  await readFirst(1);
  reader.announce(URI);
  await server.take().answer({ kind: 'absent' });
  expect(seen).toEqual(['suspect', 'absent']);
  expect(reader.facts()).toEqual([]);
});

test('a lost connection leaves nothing confirmed and ignores what was still under way', async () => {
  await readFirst(1);
  const settled = reader.refresh(URI);
  const late = server.take();
  reader.detach();
  await settled;
  await late.answer(found(2));
  expect(reader.fact(URI)?.version).toBe(1);
  expect(reader.standing(URI)).toBe('unconfirmed');
  const second = new SlowServer();
  reader.attach(second.read);
  void reader.refresh(URI);
  await second.take().answer(found(3));
  expect(reader.standing(URI)).toBe('confirmed');
  expect(seen).toEqual(['confirmed 3']);
});

test('an announcement for a fact that is not kept reads nothing', () => {
  reader.announce('care://ray/unknown');
  expect(server.asked).toHaveLength(0);
  expect(seen).toEqual([]);
});

test('facts that are no longer listed are dropped, and the rest stay in the order of their URIs', async () => {
  for (const uri of ['care://ray/b', 'care://ray/a', 'care://ray/c']) {
    void reader.refresh(uri);
    await server.take().answer({ kind: 'found', fact: factOf(uri, 1) });
  }
  reader.keep(['care://ray/a', 'care://ray/b']);
  expect(reader.facts().map(({ uri }) => uri)).toEqual(['care://ray/a', 'care://ray/b']);
});

test('what is being read when a connection takes over is read over that one, and the old answer is ignored', async () => {
  await readFirst(1);
  reader.announce(URI);
  const old = server.take();
  let settled = false;
  void reader.refresh(URI).then(() => {
    settled = true;
  });
  const newer = new SlowServer();
  reader.attach(newer.read);
  await old.answer(found(1));
  expect([reader.standing(URI), settled]).toEqual(['checking', false]);
  await newer.take().answer(found(2));
  await Promise.resolve();
  expect([reader.standing(URI), settled, seen]).toEqual(['confirmed', true, ['suspect', 'confirmed 2']]);
});
