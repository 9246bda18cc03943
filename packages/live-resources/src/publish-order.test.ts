import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLiveScene, type LiveScene, publicationOf, writer } from '../testing/live-scene.ts';
import { later, nonceOf, START, sampleFact } from '../testing/sample-facts.ts';
import { everythingIn, faultsIn } from '../testing/wholeness.ts';
import { epochMs } from './clock.ts';
import { BEGINNING } from './journal.ts';
import { createLiveResources } from './live-resources.ts';
import { publish } from './publish.ts';
import type { VersionHash } from './version.ts';

const WALKING = 'fact://ray/walking';
const RISK = 'fact-internal://ray/risk';

let scene: LiveScene;
beforeEach(() => {
  scene = createLiveScene();
});

describe('time in a lane', () => {
  it('never goes back when the clock does', async () => {
    scene.clock.advance(10_000);
    await scene.write(WALKING);
    scene.clock.advance(-60_000);
    expect(await scene.write('fact://ray/stairs')).toMatchObject({ writtenAt: later(START, 10_000) });
    scene.clock.advance(60_001);
    expect(await scene.write(WALKING)).toMatchObject({ writtenAt: later(START, 10_001) });
  });

  it('does not hold another lane', async () => {
    scene.clock.advance(10_000);
    await scene.write(WALKING);
    scene.clock.advance(-5000);
    expect(await scene.write(RISK)).toMatchObject({ writtenAt: later(START, 5000) });
    expect(await scene.write('fact://eve/walking')).toMatchObject({ writtenAt: later(START, 5000) });
  });

  it('is the later of the clock and the lane, however the clock jumps', async () => {
    const jumps = fc.array(fc.tuple(fc.constantFrom(WALKING, 'fact://ray/stairs', RISK), fc.integer()), {
      maxLength: 15,
    });
    await fc.assert(
      fc.asyncProperty(jumps, async (history) => {
        const { live, clock, write } = createLiveScene();
        const newest = new Map<string, number>();
        for (const [uri, jump] of history) {
          clock.advance(jump);
          const { audience, writtenAt } = await write(uri);
          expect(epochMs(writtenAt)).toBe(Math.max(clock.now(), newest.get(audience) ?? 0));
          newest.set(audience, epochMs(writtenAt));
        }
        expect(await faultsIn(live.store)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('publications at the same time', () => {
  it('to one fact all land, one after another', async () => {
    const versions = await Promise.all(Array.from({ length: 40 }, (_, n) => scene.write(WALKING, `by ${n}`)));
    const numbers = versions.map(({ version }) => version).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(await faultsIn(scene.live.store)).toEqual([]);
  });

  it('to one lane all land, however many they are', async () => {
    const uris = Array.from({ length: 300 }, (_, n) => `fact://ray/topic-${n % 7}`);
    const versions = await Promise.all(uris.map((uri) => scene.write(uri)));
    expect(new Set(versions.map(({ laneOrdinal }) => laneOrdinal)).size).toBe(300);
    expect(await faultsIn(scene.live.store)).toEqual([]);
  });

  it('to several facts and lanes leave a whole store, whatever their order', async () => {
    const uris = fc.array(fc.constantFrom(WALKING, 'fact://ray/stairs', RISK, 'fact://eve/walking'), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), uris, async (scheduler, targets) => {
        const { live } = createLiveScene();
        const on = {
          ...live,
          store: {
            ...live.store,
            heads: scheduler.scheduleFunction(live.store.heads),
            append: scheduler.scheduleFunction(live.store.append),
          },
        };
        const all = Promise.all(
          targets.map((uri, index) => publish(on, writer, publicationOf(uri, `write ${index}`))),
        );
        const outcomes = await scheduler.waitFor(all);
        expect(outcomes.map(({ kind }) => kind)).toEqual(targets.map(() => 'published'));
        expect(await live.store.journalHead()).toBe(targets.length);
        expect(await faultsIn(live.store)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('through one server leave a whole store, in whatever order it carries out what follows one another', async () => {
    const targets = fc.array(
      fc.record({
        uri: fc.constantFrom(WALKING, 'fact://ray/stairs', RISK),
        elapsed: fc.integer({ min: -5000, max: 5000 }),
        hasNoRoom: fc.boolean(),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), targets, async (scheduler, writes) => {
        const { live, clock } = createLiveScene();
        const withoutRoom = new Set(writes.flatMap(({ hasNoRoom }, n) => (hasNoRoom ? [`write ${n}`] : [])));
        const append = scheduler.scheduleFunction(live.store.append);
        const on = createLiveResources({
          ...live,
          store: {
            ...live.store,
            heads: scheduler.scheduleFunction(live.store.heads),
            append: (entry) =>
              withoutRoom.delete(entry.version.value ?? '')
                ? scheduler.schedule(Promise.resolve()).then(() => Promise.reject(new Error('no room')))
                : append(entry),
          },
        });
        const all = Promise.allSettled(
          writes.map(({ uri, elapsed }, n) => {
            clock.advance(elapsed);
            return on.publish(writer, publicationOf(uri, `write ${n}`));
          }),
        );
        const ends = await scheduler.waitFor(all);
        expect(ends.map(({ status }) => status)).toEqual(
          writes.map(({ hasNoRoom }) => (hasNoRoom ? 'rejected' : 'fulfilled')),
        );
        expect(await faultsIn(live.store)).toEqual([]);
        const entries = await live.store.journal(BEGINNING, 100);
        expect(entries).toHaveLength(writes.filter(({ hasNoRoom }) => !hasNoRoom).length);
        for (const audience of ['user', 'assistant']) {
          const times = entries
            .filter((entry) => entry.audience === audience)
            .map(({ writtenAt }) => writtenAt);
          expect(times).toEqual(times.toSorted());
        }
      }),
      { numRuns: 100 },
    );
  });

  it('of two audiences for one fact end as one audience', async () => {
    const targets = ['fact://ray/mood', 'fact-internal://ray/mood'];
    const outcomes = await Promise.all(
      targets.map((uri) => scene.live.publish(writer, publicationOf(uri, 'said'))),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['published', 'store_rejected']);
    const fact = sampleFact('user', 'ray', 'mood');
    expect((await scene.live.store.chain(fact)).versions).toHaveLength(1);
    expect(await faultsIn(scene.live.store)).toEqual([]);
  });
});

describe('a nonce', () => {
  it('is good for one publication', async () => {
    const nonce = nonceOf('once', START);
    await scene.write(WALKING, 'one', { nonce });
    for (const uri of [WALKING, RISK, 'fact://eve/walking']) {
      const before = await everythingIn(scene.live.store);
      const again = publicationOf(uri, 'again', { nonce });
      expect(await scene.live.publish(writer, again)).toEqual({ kind: 'replayed' });
      expect(await everythingIn(scene.live.store)).toEqual(before);
    }
  });

  it('is good for one of several publications at the same time', async () => {
    const nonce = nonceOf('once', START);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        scene.live.publish(writer, publicationOf(WALKING, `${n}`, { nonce })),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'published')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'replayed')).toHaveLength(7);
  });

  it('is not used up by a condition that failed', async () => {
    const nonce = nonceOf('once', START);
    await scene.live.publish(
      writer,
      publicationOf(WALKING, 'one', { nonce, ifMatch: 'ab'.repeat(32) as VersionHash }),
    );
    expect(await scene.write(WALKING, 'one', { nonce })).toMatchObject({ version: 1 });
  });
});

it('a publication that always loses to others gives up and has written nothing', async () => {
  const store = { ...scene.live.store, append: async () => ({ kind: 'moved' }) as const };
  const before = await everythingIn(scene.live.store);
  await expect(publish({ ...scene.live, store }, writer, publicationOf(WALKING, 'x'))).rejects.toThrow(
    'too often',
  );
  expect(await everythingIn(scene.live.store)).toEqual(before);
});
