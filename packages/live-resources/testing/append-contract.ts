import { describe, expect, it } from 'vitest';
import { type AuditWord, replayAudit } from '../src/audit.ts';
import { parseDraft } from '../src/draft.ts';
import { factUri } from '../src/partition.ts';
import type { Principal } from '../src/principal.ts';
import { type PublishOutcome, publish } from '../src/publish.ts';
import { seededRandomness } from '../src/randomness.ts';
import type { FactStore } from '../src/store.ts';
import type { FactVersion } from '../src/version.ts';
import { type Open, onNewStore } from './open-store.ts';
import {
  appendOf,
  attempt,
  later,
  nonceOf,
  PARTITION,
  type SampleFact,
  START,
  sampleFact,
  sampleLane,
  versionAfter,
  write,
} from './sample-facts.ts';
import { createVirtualClock } from './virtual-clock.ts';
import { EVERY_LANE, everythingIn, faultsIn } from './wholeness.ts';

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
      'lets one of many appends to one fact win, all of the same turn, and tells the others that it moved',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const heads = await store.heads(WALKING, sampleLane(WALKING));
        const rivals = Array.from({ length: 32 }, (_, n) =>
          versionAfter(heads, WALKING, { value: `by ${n}` }),
        );
        const outcomes = await Promise.all(rivals.map((version) => store.append(appendOf(version))));
        expect(outcomes.filter(({ kind }) => kind === 'appended')).toEqual([
          { kind: 'appended', position: 2 },
        ]);
        expect(outcomes.filter(({ kind }) => kind === 'moved')).toHaveLength(31);
        expect(await faultsIn(store)).toEqual([]);
      }),
    );

    it(
      'takes many appends of one lane in the same turn that follow one another, in their order',
      onNewStore(open, async (store) => {
        const versions = followingVersions(32);
        const outcomes = await Promise.all(versions.map((version) => store.append(appendOf(version))));
        expect(outcomes).toEqual(versions.map((_, n) => ({ kind: 'appended', position: n + 1 })));
        expect(await faultsIn(store)).toEqual([]);
      }),
    );

    it(
      'refuses what follows an append of the same turn that was refused, and nothing before it',
      onNewStore(open, async (store) => {
        const used = nonceOf('used', START);
        await store.record(attempt(START), used);
        const versions = followingVersions(6);
        const outcomes = await Promise.all(
          versions.map((version, n) => store.append(appendOf(version, { nonce: n === 3 ? used : null }))),
        );
        expect(outcomes.map(({ kind }) => kind)).toEqual([
          'appended',
          'appended',
          'appended',
          'replayed',
          'moved',
          'moved',
        ]);
        const { rows } = await store.audit(0, 10);
        expect(rows.map(({ outcome }) => outcome)).toEqual(['refused', 'accepted', 'accepted', 'accepted']);
      }),
    );

    it(
      'writes what is sound of one turn when another attempt of it must be rejected',
      onNewStore(open, async (store) => {
        const [first, second, third, fourth, ...rest] = followingVersions(4);
        if (!first || !second || !third || !fourth || rest.length > 0) throw new Error('four were asked for');
        const forged = attempt(START, { reason: 'no word' as AuditWord });
        const writes = await Promise.allSettled([
          store.append(appendOf(first)),
          store.record(forged, nonceOf('signature-1', START)),
          store.append(appendOf(second)),
          store.append(appendOf(third, { audit: forged, nonce: nonceOf('signature-2', START) })),
          store.append(appendOf(fourth)),
          store.record(attempt(START), nonceOf('signature-1', START)),
          store.countRefusal(forged),
          store.countRefusal(attempt(START)),
        ]);
        expect(writes.map((write) => (write.status === 'fulfilled' ? write.value : 'rejected'))).toEqual([
          { kind: 'appended', position: 1 },
          'rejected',
          { kind: 'appended', position: 2 },
          'rejected',
          { kind: 'moved' },
          'recorded',
          'rejected',
          undefined,
        ]);
        expect(await store.journalHead()).toBe(2);
        const { rows, counted } = await store.audit(0, 10);
        expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'accepted', 'refused']);
        expect(counted).toHaveLength(1);
        expect(replayAudit(rows)).toBeNull();
      }),
    );

    it(
      'refuses a version older than its lane, whatever it follows',
      onNewStore(open, async (store) => {
        const { writtenAt } = await write(store, WALKING, { writtenAt: later(START, 60_000) });
        const lane = { ordinal: 1, writtenAt: START };
        await expectMoved(
          store,
          versionAfter({ fact: null, lane }, STAIRS, { writtenAt: later(writtenAt, -1) }),
        );
        const level = versionAfter({ fact: null, lane }, STAIRS, { writtenAt });
        expect((await store.append(appendOf(level))).kind).toBe('appended');
      }),
    );

    it(
      'shows no reader a version before its append has ended',
      onNewStore(open, async (store) => {
        let appended = false;
        const first = versionAfter({ fact: null, lane: null }, WALKING);
        const append = store.append(appendOf(first)).then(() => {
          appended = true;
        });
        const seen: string[] = [];
        // Readers of the same turn: whatever they see of it must be on the disk, which ends a turn at the least.
        async function reading(look: () => Promise<unknown>, name: string): Promise<void> {
          const found = await look();
          if (!appended && found !== null && found !== 0) seen.push(name);
        }
        await Promise.all([
          reading(() => store.version(WALKING, null), 'version'),
          reading(() => store.journalHead(), 'journalHead'),
          reading(async () => (await store.heads(WALKING, sampleLane(WALKING))).lane, 'heads'),
          reading(async () => (await store.list({ ...EVERY_LANE, after: null, limit: 9 })).length, 'list'),
          reading(async () => (await store.chain(WALKING)).versions.length, 'chain'),
        ]);
        expect(seen).toEqual([]);
        await append;
        expect(await store.version(WALKING, null)).toEqual(first);
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

/** First versions of facts of one lane, each in its place after the one before. */
function followingVersions(count: number): FactVersion[] {
  const versions: FactVersion[] = [];
  for (let n = 0; n < count; n += 1) {
    const before = versions.at(-1);
    const lane = before === undefined ? null : { ordinal: before.laneOrdinal, writtenAt: before.writtenAt };
    versions.push(versionAfter({ fact: null, lane }, sampleFact('user', 'ray', `topic-${n}`)));
  }
  return versions;
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
