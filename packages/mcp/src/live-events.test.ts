import {
  createCursorCodec,
  createLiveResources,
  createMemoryStore,
  epochMs,
  type FactVersion,
  type LiveResources,
  type Principal,
  seededRandomness,
} from '@unsay/live-resources';
import {
  createVirtualClock,
  PARTITION,
  publicationOf,
  START,
  sampleFact,
  sampleLane,
  type VirtualClock,
  writer,
} from '@unsay/live-resources/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventLimits, EventOutcome, EventStart } from './event-methods.ts';
import { correctionEvents } from './live-events.ts';

interface Scene {
  readonly live: LiveResources;
  readonly clock: VirtualClock;
  write(uri: string, value: string, quiet?: boolean): Promise<FactVersion>;
}

function createScene(store = createMemoryStore()): Scene {
  const clock = createVirtualClock(epochMs(START));
  const live = createLiveResources({
    partition: PARTITION,
    store,
    clock,
    randomness: seededRandomness('events'),
    cursors: createCursorCodec(new Uint8Array(32).fill(7)),
    defaultAuthorLabel: 'your care team',
  });
  return {
    live,
    clock,
    async write(uri, value, quiet = false) {
      const outcome = await live.publish(writer, publicationOf(uri, value, { quiet }));
      if (outcome.kind !== 'published') throw new Error(`a version was not published: ${outcome.kind}`);
      return outcome.version;
    },
  };
}

function readerOf(scopes: readonly string[], subjects: readonly string[] | '*'): Principal {
  const granted = subjects === '*' ? subjects : new Set(subjects);
  return { sub: 'someone', clientId: 'some-client', scopes: new Set(scopes), subjects: granted };
}

const URIS = [
  'fact://ray/walk',
  'fact://ray/bath',
  'fact-internal://ray/risk',
  'fact://kim/walk',
  'fact-internal://kim/risk',
];
const READERS: readonly Principal[] = [
  readerOf(['read.user'], ['ray']),
  readerOf(['read.user', 'read.assistant'], ['ray']),
  readerOf(['read.user'], '*'),
  readerOf(['read.user', 'read.assistant'], '*'),
  readerOf([], '*'),
];
const SUBSCRIPTIONS: readonly Args[] = [
  {},
  { subject: 'ray' },
  { subject: 'kim' },
  { uris: ['fact://ray/walk', 'fact-internal://ray/risk'] },
  { subject: 'kim', uris: ['fact://ray/walk', 'fact://kim/walk'] },
];
type Args = { readonly subject?: string; readonly uris?: readonly string[] };

type Batch = Extract<EventOutcome, { readonly kind: 'batch' }>;

const limits: EventLimits = { most: 100, replay: 1_000, maxAgeMs: null };

function subscriptionOf({ subject, uris }: Args) {
  return {
    name: 'correction',
    args: { ...(subject !== undefined && { subject }), ...(uris !== undefined && { uris }) },
  };
}

async function read(
  scene: Scene,
  reader: Principal,
  from: EventStart,
  args: Args = {},
  more: Partial<EventLimits> = {},
): Promise<Batch> {
  const outcome = await correctionEvents(scene.live).read(reader, subscriptionOf(args), from, {
    ...limits,
    ...more,
  });
  if (outcome.kind !== 'batch') throw new Error(`nothing was read: ${outcome.kind}`);
  return outcome;
}

function isHeard(reader: Principal, { subject, uris }: Args, uri: string): boolean {
  const [scheme = '', of = ''] = uri.split(/:\/\/|\//);
  return (
    reader.scopes.has(scheme === 'fact' ? 'read.user' : 'read.assistant') &&
    (reader.subjects === '*' || reader.subjects.has(of)) &&
    (subject ?? of) === of &&
    (uris?.includes(uri) ?? true)
  );
}

const step = fc.record({
  uri: fc.nat({ max: URIS.length - 1 }),
  quiet: fc.boolean(),
  most: fc.integer({ min: 1, max: 3 }),
  look: fc.constantFrom('nothing', 'poll', 'stream'),
});

it('tells a reader of what is its own, in order, once, however it comes back between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.array(step, { maxLength: 24 }),
      fc.nat({ max: READERS.length - 1 }),
      fc.nat({ max: SUBSCRIPTIONS.length - 1 }),
      async (before, since, who, what) => {
        const scene = createScene();
        const [reader, args] = [READERS[who] as Principal, SUBSCRIPTIONS[what] as Args];
        for (const { uri, quiet } of before) await scene.write(URIS[uri] ?? '', 'said', quiet);
        let place: EventStart = (await read(scene, reader, null, args)).cursor;
        const expected: string[] = [];
        const told: string[] = [];
        for (const { uri: index, quiet, most, look } of since) {
          const uri = URIS[index] ?? '';
          const { version } = await scene.write(uri, 'said', quiet);
          if (version > 1 && !quiet && isHeard(reader, args, uri)) expected.push(`${uri}/v${version}`);
          if (look === 'nothing') continue;
          const batch: Batch = await read(scene, reader, place, args, { most });
          told.push(...batch.events.map(({ eventId }) => eventId));
          // One that polls comes back with the cursor, one that holds a stream with a place of this process.
          place = look === 'stream' ? batch.end : batch.cursor;
          expect(batch.truncated).toBe(false);
          expect(batch.hasMore).toBe(told.length < expected.length);
        }
        const rest = await read(scene, reader, place, args);
        expect([...told, ...rest.events.map(({ eventId }) => eventId)]).toEqual(expected);
        for (const [at, { place: after }] of rest.events.entries()) {
          const later = await read(scene, reader, after.cursor, args);
          expect(later.events).toEqual(rest.events.slice(at + 1));
        }
      },
    ),
    { numRuns: 60 },
  );
});

it('gives a reader the same bytes whatever happens that it may not hear of', async () => {
  const hidden = fc.array(fc.constantFrom('fact-internal://ray/risk', 'fact://kim/walk'), { maxLength: 4 });
  const seen = fc.constantFrom('fact://ray/walk', 'fact://ray/bath');
  const moment = fc.record({ seen, inOne: hidden, inOther: hidden, most: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(moment, { maxLength: 12 }),
      fc.nat({ max: SUBSCRIPTIONS.length - 1 }),
      async (moments, what) => {
        const [reader, args] = [READERS[0] as Principal, SUBSCRIPTIONS[what] as Args];
        const live = async (which: 'inOne' | 'inOther'): Promise<string> => {
          const scene = createScene();
          const received: unknown[] = [];
          let cursor: string | null = null;
          for (const { [which]: others, seen: uri, most } of moments) {
            for (const other of others) await scene.write(other, 'hidden');
            await scene.write(uri, 'said');
            const { end: _end, ...batch }: Batch = await read(scene, reader, cursor, args, {
              most,
              replay: 4,
            });
            const events = batch.events.map(({ place, ...event }) => ({ ...event, cursor: place.cursor }));
            received.push({ ...batch, events });
            cursor = batch.cursor;
          }
          return JSON.stringify(received);
        };
        expect(await live('inOne')).toBe(await live('inOther'));
      },
    ),
    { numRuns: 60 },
  );
});

it('opens no cursor that is not the reader’s own, for this subscription and unaltered', async () => {
  const scene = createScene();
  const reader = READERS[0] as Principal;
  const start = await read(scene, reader, null);
  await scene.write('fact://ray/walk', 'said');
  await scene.write('fact://ray/walk', 'said anew');
  const after = await read(scene, reader, start.cursor);
  expect(after.events).toHaveLength(1);
  const events = correctionEvents(scene.live);
  const outcome = async (holder: Principal, cursor: string, args: Args = {}): Promise<string> =>
    (await events.read(holder, subscriptionOf(args), cursor, limits)).kind;
  const others = [
    { ...reader, sub: 'another' },
    { ...reader, clientId: 'another' },
  ];
  for (const { cursor } of [start, after]) {
    expect(await outcome(reader, cursor)).toBe('batch');
    expect(await outcome({ ...reader, scopes: new Set() }, cursor)).toBe('batch');
    expect(await outcome(reader, cursor, { subject: 'ray' })).toBe('bad_cursor');
    for (const other of others) expect(await outcome(other, cursor)).toBe('bad_cursor');
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: cursor.length - 1 }),
        fc.constantFrom(...'AZaz09-_'),
        async (at, letter) => {
          fc.pre(cursor[at] !== letter);
          const altered = `${cursor.slice(0, at)}${letter}${cursor.slice(at + 1)}`;
          expect(await outcome(reader, altered)).toBe('bad_cursor');
        },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.string(), async (made) => {
        expect(await outcome(reader, made)).toBe('bad_cursor');
      }),
    );
  }
});

it('counts a subscription by what it names, in whatever order', async () => {
  const scene = createScene();
  const reader = READERS[0] as Principal;
  const [walk, bath] = ['fact://ray/walk', 'fact://ray/bath'];
  const { cursor } = await read(scene, reader, null, { uris: [walk, bath] });
  const again = await read(scene, reader, cursor, { uris: [bath, walk, bath] });
  expect(again.truncated).toBe(false);
});

it('says a gap where a cursor stands at what the reader may not hear of any more', async () => {
  const scene = createScene();
  const wide = READERS[1] as Principal;
  const { cursor } = await read(scene, wide, null);
  for (const uri of [
    'fact-internal://ray/risk',
    'fact-internal://ray/risk',
    'fact://ray/walk',
    'fact://ray/walk',
  ])
    await scene.write(uri, 'said');
  const { cursor: atRisk } = await read(scene, wide, cursor, {}, { most: 1 });
  const narrow = READERS[0] as Principal;
  expect(await read(scene, narrow, atRisk)).toMatchObject({ events: [], truncated: true });
  expect((await read(scene, narrow, cursor)).events.map(({ eventId }) => eventId)).toEqual([
    'fact://ray/walk/v2',
  ]);
});

it('says a gap past the limit and goes on from now', async () => {
  const scene = createScene();
  const reader = READERS[0] as Principal;
  const { cursor } = await read(scene, reader, null);
  for (let times = 0; times < 4; times += 1) await scene.write('fact://ray/walk', `said ${times}`);
  expect((await read(scene, reader, cursor, {}, { replay: 3 })).events).toHaveLength(3);
  const gap = await read(scene, reader, cursor, {}, { replay: 2 });
  expect(gap).toMatchObject({ events: [], truncated: true, hasMore: false, from: gap.cursor });
  await scene.write('fact://ray/walk', 'said at last');
  expect((await read(scene, reader, gap.cursor)).events).toHaveLength(1);
});

it('tells nothing that is older than asked for, and says so', async () => {
  const scene = createScene();
  const reader = READERS[0] as Principal;
  await scene.write('fact://ray/walk', 'first');
  const { cursor } = await read(scene, reader, null);
  await scene.write('fact://ray/walk', 'old');
  scene.clock.advance(60_000);
  await scene.write('fact://ray/walk', 'young');
  const young = await read(scene, reader, cursor, {}, { maxAgeMs: 30_000 });
  expect(young).toMatchObject({ truncated: true, hasMore: false });
  expect(young.events.map(({ eventId }) => eventId)).toEqual(['fact://ray/walk/v3']);
  expect((await read(scene, reader, young.from)).events).toEqual(young.events);
  const all = await read(scene, reader, cursor, {}, { maxAgeMs: 60_000 });
  expect(all).toMatchObject({ truncated: false });
  expect(all.events).toHaveLength(2);
});

it('asks a reader of too many lanes to subscribe to one subject', async () => {
  const lanes = Array.from({ length: 1_001 }, (_none, index) => ({
    ...sampleLane(sampleFact('user', `s${index}`, 'walk')),
    ordinal: 1,
    writtenAt: START,
  }));
  const { live } = createScene({ ...createMemoryStore(), lanes: async () => lanes });
  const events = correctionEvents(live);
  const reader = READERS[2] as Principal;
  expect(await events.read(reader, subscriptionOf({}), null, limits)).toMatchObject({ kind: 'bad_argument' });
  expect(await events.read(reader, subscriptionOf({ subject: 's1' }), null, limits)).toMatchObject({
    kind: 'batch',
  });
});

it('loses nothing and tells nothing twice whenever it happens while a reader looks', async () => {
  const reader = READERS[0] as Principal;
  for (const isPolling of [true, false]) {
    for (let moment = 0; moment < 8; moment += 1) {
      const store = createMemoryStore();
      let calls = 0;
      let meanwhile = async (): Promise<void> => undefined;
      const during = <A extends unknown[], R>(method: (...args: A) => Promise<R>) => {
        return async (...args: A): Promise<R> => {
          if (calls === moment) await meanwhile();
          calls += 1;
          return method(...args);
        };
      };
      const scene = createScene({
        ...store,
        lanes: during(store.lanes),
        laneEntries: during(store.laneEntries),
        journalHead: during(store.journalHead),
      });
      await scene.write('fact://ray/walk', 'first');
      const { cursor } = await read(scene, reader, null);
      await scene.write('fact://ray/walk', 'second');
      calls = 0;
      meanwhile = async () => {
        meanwhile = async () => undefined;
        await scene.write('fact://ray/walk', 'meanwhile');
      };
      const first = await read(scene, reader, cursor);
      await meanwhile();
      const second = await read(scene, reader, isPolling ? first.cursor : first.end);
      const third = await read(scene, reader, isPolling ? second.cursor : second.end);
      const told = [first, second, third].flatMap(({ events }) => events.map(({ eventId }) => eventId));
      expect(told).toEqual(['fact://ray/walk/v2', 'fact://ray/walk/v3']);
    }
  }
});
