import {
  BEGINNING,
  createCursorCodec,
  createLiveResources,
  createMemoryStore,
  seededRandomness,
} from '@unsay/live-resources';
import { expect, it } from 'vitest';
import { carePartition } from './care-partition.ts';
import { GLOSSARY } from './glossary.ts';
import { seedDemonstration } from './seed-demonstration.ts';

const NOW = Date.UTC(2030, 5, 15, 10);

it('writes the plan quietly: nothing of it is ever announced', async () => {
  const live = createLiveResources({
    partition: carePartition,
    store: createMemoryStore(),
    clock: { now: () => NOW },
    randomness: seededRandomness('a test'),
    cursors: createCursorCodec(new Uint8Array(32)),
    defaultAuthorLabel: 'your care team',
  });
  await seedDemonstration(live, NOW, () => Uint8Array.of(1));
  const entries = await live.store.journal(BEGINNING, 100);
  expect(entries).toHaveLength(9);
  expect(entries.map(({ quiet }) => quiet)).toEqual(entries.map(() => true));
});

it('explains terms from a closed glossary that advises nothing', () => {
  expect(GLOSSARY.map(({ term, meaning }) => `${term}: ${meaning}`)).toEqual([
    'partial weight-bearing: that only a part of your body weight goes through the leg, and your hands carry the rest',
    'weight-bearing as tolerated: that the leg may carry as much of your weight as it can without more pain',
    'non-weight-bearing: that no weight goes through the leg at all',
    'heel slide: a movement in which, lying down, the heel slides towards you and back',
    'heel slides: movements in which, lying down, the heel slides towards you and back',
    'operated leg: the leg with the new hip joint',
    'blood thinner: a medicine that makes blood slower to clot',
  ]);
});
