import { describe, expect, it } from 'vitest';
import { parseDraft } from '../src/draft.ts';
import { factUri } from '../src/partition.ts';
import type { Principal } from '../src/principal.ts';
import { type PublishOutcome, publish } from '../src/publish.ts';
import { seededRandomness } from '../src/randomness.ts';
import type { FactStore } from '../src/store.ts';
import { type Open, onNewStore } from './open-store.ts';
import {
  appendOf,
  PARTITION,
  type SampleFact,
  sampleFact,
  sampleLane,
  versionAfter,
  write,
} from './sample-facts.ts';
import { createVirtualClock } from './virtual-clock.ts';
import { everythingIn, faultsIn } from './wholeness.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const STAIRS = sampleFact('user', 'ray', 'stairs');
const RISK = sampleFact('assistant', 'ray', 'risk');

/** `append` is a compare-and-swap on two heads, and whole or nothing. */
export function appendContract(open: Open): void {
  describe('append', () => {
    it(
      'shows no heads before the first version, and the newest after each',
      onNewStore(open, async (store) => {
        expect(await store.heads(WALKING, sampleLane(WALKING))).toEqual({ fact: null, lane: null });
        const first = await write(store, WALKING);
        const other = await write(store, STAIRS);
        const second = await write(store, WALKING);
        expect((await store.heads(WALKING, sampleLane(WALKING))).fact).toEqual(second);
        expect((await store.heads(STAIRS, sampleLane(STAIRS))).fact).toEqual(other);
        expect((await store.heads(STAIRS, sampleLane(STAIRS))).lane).toMatchObject({
          ordinal: 3,
          writtenAt: second.writtenAt,
        });
        expect(first.laneOrdinal).toBe(1);
      }),
    );

    it(
      'refuses a version that follows another head of the fact, and changes nothing',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const seen = await store.heads(WALKING, sampleLane(WALKING));
        await write(store, WALKING);
        const now = await store.heads(WALKING, sampleLane(WALKING));
        await expectMoved(store, versionAfter({ fact: seen.fact, lane: now.lane }, WALKING));
      }),
    );

    it(
      'refuses a version that follows another head of the lane, and changes nothing',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const seen = await store.heads(WALKING, sampleLane(WALKING));
        await write(store, STAIRS);
        await expectMoved(store, versionAfter(seen, WALKING));
        const ahead = { ordinal: 3, writtenAt: (await write(store, STAIRS)).writtenAt };
        await expectMoved(store, versionAfter({ fact: seen.fact, lane: { ...ahead, ordinal: 4 } }, WALKING));
        expect(await store.append(appendOf(versionAfter({ fact: seen.fact, lane: ahead }, WALKING)))).toEqual(
          {
            kind: 'appended',
            position: 4,
          },
        );
      }),
    );

    it(
      'refuses a first version of a fact that exists, in its own audience and in another',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const { lane } = await store.heads(WALKING, sampleLane(WALKING));
        await expectMoved(store, versionAfter({ fact: null, lane }, WALKING));
        await expectMoved(
          store,
          versionAfter({ fact: null, lane: null }, sampleFact('assistant', 'ray', 'walking')),
        );
      }),
    );

    it(
      'refuses a later version of a fact that does not exist',
      onNewStore(open, async (store) => {
        const never = versionAfter({ fact: null, lane: null }, WALKING);
        await expectMoved(store, versionAfter({ fact: never, lane: null }, WALKING));
      }),
    );

    it(
      'lets exactly one of two appends on the same heads win',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const heads = await store.heads(WALKING, sampleLane(WALKING));
        const rivals = ['one', 'two'].map((value) => versionAfter(heads, WALKING, { value }));
        const outcomes = await Promise.all(rivals.map((version) => store.append(appendOf(version))));
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['appended', 'moved']);
        const winner = rivals[outcomes.findIndex(({ kind }) => kind === 'appended')];
        expect(await store.version(WALKING, null)).toEqual(winner);
        expect(await faultsIn(store)).toEqual([]);
      }),
    );

    it(
      'lets exactly one of two facts take the next place in a lane',
      onNewStore(open, async (store) => {
        const rivals = [WALKING, STAIRS].map((fact) => versionAfter({ fact: null, lane: null }, fact));
        const outcomes = await Promise.all(rivals.map((version) => store.append(appendOf(version))));
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['appended', 'moved']);
        expect(await faultsIn(store)).toEqual([]);
      }),
    );

    it(
      'lets different lanes move at once',
      onNewStore(open, async (store) => {
        const versions = [WALKING, RISK].map((fact) => versionAfter({ fact: null, lane: null }, fact));
        const outcomes = await Promise.all(versions.map((version) => store.append(appendOf(version))));
        expect(outcomes.map(({ kind }) => kind)).toEqual(['appended', 'appended']);
        expect(await faultsIn(store)).toEqual([]);
      }),
    );

    it(
      'lands every one of many concurrent publications, lanes and journal without a gap',
      onNewStore(open, async (store) => {
        const facts = [WALKING, STAIRS, RISK, sampleFact('user', 'eve', 'walking')];
        const outcomes = await Promise.all(
          Array.from({ length: 40 }, (_, index) => facts[index % facts.length] ?? WALKING).map(
            (fact, index) => publishTo(store, fact, `said by writer ${index}`),
          ),
        );
        expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 40 }, () => 'published'));
        expect(await store.journalHead()).toBe(40);
        expect(await faultsIn(store)).toEqual([]);
      }),
    );

    it(
      'keeps no trace of a publication for another audience than the fact has',
      onNewStore(open, async (store) => {
        await write(store, RISK);
        const before = await everythingIn(store);
        const outcome = await publishTo(store, sampleFact('user', 'ray', 'risk'), 'said aloud');
        expect(outcome).toEqual({ kind: 'store_rejected' });
        expect(await everythingIn(store)).toEqual(before);
      }),
    );
  });
}

async function expectMoved(store: FactStore, version: ReturnType<typeof versionAfter>): Promise<void> {
  const before = await everythingIn(store);
  expect(await store.append(appendOf(version))).toEqual({ kind: 'moved' });
  expect(await everythingIn(store)).toEqual(before);
}

const WRITER: Principal = {
  sub: 'writer-1',
  clientId: 'client-1',
  scopes: new Set(['read.user', 'read.assistant', 'write']),
  subjects: '*',
};

function publishTo(store: FactStore, fact: SampleFact, value: string): Promise<PublishOutcome> {
  const draft = parseDraft(PARTITION, {
    uri: factUri(fact.rule, fact),
    value,
    authorId: 'author-1',
    authorLabel: null,
    staleAfter: null,
  });
  if (typeof draft === 'string') throw new Error(`a sample draft is malformed: ${draft}`);
  const publisher = {
    partition: PARTITION,
    store,
    clock: createVirtualClock(Date.UTC(2026, 0, 5, 9)),
    randomness: seededRandomness('append contract'),
    defaultAuthorLabel: 'your care team',
  };
  return publish(publisher, WRITER, {
    draft,
    ifMatch: null,
    nonce: null,
    request: null,
    via: 'hmac',
    quiet: false,
  });
}
