import {
  type CursorCodec,
  createCursorCodec,
  createLiveResources,
  createMemoryStore,
  epochMs,
  type Principal,
  seededRandomness,
} from '@unsay/live-resources';
import { createVirtualClock, PARTITION, publicationOf, START, writer } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { correctionEvents } from './live-events.ts';

it('does not work through a long subscription once more for each event that it tells', async () => {
  const cursors = createCursorCodec(new Uint8Array(32).fill(7));
  let longest = 0;
  const measured: CursorCodec = {
    seal(purpose, holder, content) {
      longest = Math.max(longest, purpose.length);
      return cursors.seal(purpose, holder, content);
    },
    open: (purpose, holder, token) => cursors.open(purpose, holder, token),
  };
  const live = createLiveResources({
    partition: PARTITION,
    store: createMemoryStore(),
    clock: createVirtualClock(epochMs(START)),
    randomness: seededRandomness('events'),
    cursors: measured,
    defaultAuthorLabel: 'your care team',
  });
  const reader: Principal = {
    sub: 'ray-phone',
    clientId: 'phone-app',
    scopes: new Set(['read.user']),
    subjects: new Set(['ray']),
  };
  const uris = Array.from({ length: 1_000 }, (_, n) => `fact://ray/${String(n).padStart(60, '0')}`);
  const subscription = { name: 'correction', args: { uris } };
  const limits = { most: 200, replay: 2_048, maxAgeMs: null };
  const events = correctionEvents(live);
  await live.publish(writer, publicationOf(uris[0] ?? '', 'one'));
  const first = await events.read(reader, subscription, null, limits);
  await live.publish(writer, publicationOf(uris[0] ?? '', 'two'));
  const second = await events.read(reader, subscription, first.kind === 'batch' ? first.cursor : '', limits);
  expect(second.kind === 'batch' ? second.events : []).toHaveLength(1);
  expect(longest).toBeLessThan(1_024);
});
