import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createLiveScene,
  draftOf,
  type LiveScene,
  principalOf,
  publicationOf,
  writer,
} from '../testing/live-scene.ts';
import { later, nonceOf, START } from '../testing/sample-facts.ts';
import { everythingIn, faultsIn } from '../testing/wholeness.ts';
import { BEGINNING } from './journal.ts';
import type { PublishOutcome } from './publish.ts';
import type { FactVersion, VersionHash } from './version.ts';

const WALKING = 'fact://ray/walking';
const RISK = 'fact-internal://ray/risk';
const OTHER_HASH = 'ab'.repeat(32) as VersionHash;

let scene: LiveScene;
beforeEach(() => {
  scene = createLiveScene();
});

/** Runs an attempt that must leave the store as it was. */
async function withoutTrace(attempt: () => Promise<PublishOutcome>): Promise<PublishOutcome> {
  const before = await everythingIn(scene.live.store);
  const outcome = await attempt();
  expect(await everythingIn(scene.live.store)).toEqual(before);
  return outcome;
}

function published(outcome: PublishOutcome): FactVersion {
  if (outcome.kind !== 'published') throw new Error(`not published: ${outcome.kind}`);
  return outcome.version;
}

describe('a publication', () => {
  it('of a new fact is its first version', async () => {
    const version = await scene.write(WALKING, 'Walk 5 minutes.');
    expect(version).toMatchObject({
      uri: WALKING,
      subject: 'ray',
      topic: 'walking',
      audience: 'user',
      version: 1,
      kind: 'create',
      laneOrdinal: 1,
      value: 'Walk 5 minutes.',
      authorId: 'author-1',
      authorLabel: 'your care team',
      attestation: null,
      writtenAt: START,
      staleAfter: null,
      prevHash: null,
    });
    expect(await scene.live.read(writer, WALKING)).toMatchObject({ kind: 'found', version });
  });

  it('of a fact that stands revises it and names the version before', async () => {
    const first = await scene.write(WALKING, 'one');
    scene.clock.advance(5000);
    expect(await scene.write(WALKING, 'two')).toMatchObject({
      version: 2,
      kind: 'revise',
      laneOrdinal: 2,
      prevHash: first.versionHash,
      writtenAt: later(START, 5000),
    });
  });

  it('of the same words is a version all the same', async () => {
    await scene.write(WALKING, 'same');
    expect(await scene.write(WALKING, 'same')).toMatchObject({ version: 2 });
  });

  it('carries label, review date and blob', async () => {
    const blob = { mediaType: 'audio/wav', bytes: new Uint8Array([1, 2, 3]) };
    const staleAfter = later(START, 60_000);
    const draft = draftOf(WALKING, 'Walk.', { authorLabel: 'the ward', staleAfter, blob });
    const version = published(await scene.live.publish(writer, publicationOf(WALKING, '-', { draft })));
    expect(version).toMatchObject({ authorLabel: 'the ward', staleAfter, blob });
    expect(version.salts.blob).toHaveLength(32);
    expect(await faultsIn(scene.live.store)).toEqual([]);
  });

  it('salts each part by itself, and nothing that is not there', async () => {
    const versions = [await scene.write(WALKING, 'same'), await scene.write(WALKING, 'same')];
    const salts = versions.flatMap(({ salts: { uri, value, author, label } }) => [uri, value, author, label]);
    expect(new Set(salts.map((salt) => Buffer.from(salt ?? []).toString('hex'))).size).toBe(8);
    expect(salts.every((salt) => salt?.length === 32)).toBe(true);
    expect(versions.map(({ salts: { blob, attestation } }) => [blob, attestation])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('is audited by the identity that was verified, never by a name from the draft', async () => {
    await scene.write(RISK, 'high');
    expect((await scene.live.store.audit(0, 10)).rows).toMatchObject([
      { actor: 'writer', uri: RISK, outcome: 'accepted', reason: null, via: 'test', at: START, count: 1 },
    ]);
  });

  it('is audited at the time of the attempt, also where the lane is ahead of the clock', async () => {
    await scene.write(WALKING);
    scene.clock.advance(-60_000);
    expect(await scene.write(WALKING)).toMatchObject({ writtenAt: START });
    const { rows } = await scene.live.store.audit(0, 10);
    expect(rows.map(({ at }) => at)).toEqual([START, later(START, -60_000)]);
  });

  it('that is quiet is in the journal as such', async () => {
    await scene.write(WALKING, 'one', { quiet: true });
    await scene.write(WALKING, 'two');
    const entries = await scene.live.store.journal(BEGINNING, 10);
    expect(entries.map(({ version, quiet }) => [version, quiet])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it('counts in its lane, across facts, and in no other', async () => {
    const written: FactVersion[] = [];
    for (const uri of [WALKING, RISK, 'fact://ray/stairs', WALKING, 'fact://eve/walking', RISK]) {
      written.push(await scene.write(uri));
    }
    expect(written.map(({ version, laneOrdinal }) => [version, laneOrdinal])).toEqual([
      [1, 1],
      [1, 1],
      [1, 2],
      [2, 3],
      [1, 1],
      [2, 2],
    ]);
  });

  it('leaves every chain, lane, journal and audit log whole, whatever is written by whom', async () => {
    const uris = fc.constantFrom(WALKING, 'fact://ray/stairs', RISK, 'fact://ray/risk', 'fact://eve/walking');
    const steps = fc.array(
      fc.record({
        uri: uris,
        value: fc.string({ unit: 'binary', minLength: 1 }),
        elapsed: fc.integer(),
        quiet: fc.boolean(),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const { live, clock } = createLiveScene();
        for (const { uri, value, elapsed, quiet } of history) {
          clock.advance(elapsed);
          await live.publish(writer, publicationOf(uri, value, { quiet }));
        }
        expect(await faultsIn(live.store)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the audience of a fact', () => {
  it.each([
    [WALKING, 'fact-internal://ray/walking'],
    [RISK, 'fact://ray/risk'],
  ])('is fixed by its first version: %s cannot become %s', async (first, other) => {
    await scene.write(first);
    const outcome = await withoutTrace(() => scene.live.publish(writer, publicationOf(other, 'moved')));
    expect(outcome).toEqual({ kind: 'store_rejected' });
  });

  it('is refused to change before a condition is looked at, and does not use up the nonce', async () => {
    const { versionHash } = await scene.write(RISK);
    const nonce = nonceOf('once', START);
    for (const ifMatch of [versionHash, OTHER_HASH]) {
      const moved = publicationOf('fact://ray/risk', 'moved', { ifMatch, nonce });
      expect(await withoutTrace(() => scene.live.publish(writer, moved))).toEqual({ kind: 'store_rejected' });
    }
    expect(await scene.write(RISK, 'stays', { nonce })).toMatchObject({ version: 2, audience: 'assistant' });
  });
});

describe('a condition', () => {
  it('holds for the head and lets the publication through', async () => {
    const { versionHash } = await scene.write(WALKING, 'one');
    expect(await scene.write(WALKING, 'two', { ifMatch: versionHash })).toMatchObject({ version: 2 });
  });

  it('on another version is refused with the head', async () => {
    const first = await scene.write(WALKING, 'one');
    const second = await scene.write(WALKING, 'two');
    for (const ifMatch of [first.versionHash, OTHER_HASH]) {
      const attempt = (): Promise<PublishOutcome> =>
        scene.live.publish(writer, publicationOf(WALKING, 'three', { ifMatch }));
      expect(await withoutTrace(attempt)).toEqual({ kind: 'head_moved', head: second.versionHash });
    }
  });

  it('on a fact that does not exist is refused without a head', async () => {
    const attempt = (): Promise<PublishOutcome> =>
      scene.live.publish(writer, publicationOf(WALKING, 'one', { ifMatch: OTHER_HASH }));
    expect(await withoutTrace(attempt)).toEqual({ kind: 'head_moved', head: null });
  });

  it('lets one of many through that name the same head', async () => {
    const { versionHash } = await scene.write(WALKING, 'one');
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        scene.live.publish(writer, publicationOf(WALKING, `two, by ${n}`, { ifMatch: versionHash })),
      ),
    );
    const winners = outcomes.filter(({ kind }) => kind === 'published').map(published);
    expect(winners).toMatchObject([{ version: 2 }]);
    const head = winners[0]?.versionHash;
    expect(outcomes.filter(({ kind }) => kind !== 'published')).toEqual(
      Array.from({ length: 19 }, () => ({ kind: 'head_moved', head })),
    );
  });
});

describe('a writer without the rights', () => {
  it('is told of a missing scope, whatever it names', async () => {
    await scene.write(WALKING);
    const reader = principalOf(['read.user', 'read.assistant']);
    for (const uri of [WALKING, 'fact://ray/risk', 'fact://eve/walking']) {
      const attempt = (): Promise<PublishOutcome> => scene.live.publish(reader, publicationOf(uri, 'x'));
      expect(await withoutTrace(attempt)).toEqual({ kind: 'insufficient_scope' });
    }
  });

  it.each([
    ['reads only what is spoken', principalOf(['write', 'read.user'])],
    ['reads only what is internal', principalOf(['write', 'read.assistant'])],
    ['reads nothing', principalOf(['write'])],
    ['was granted another subject', principalOf(['write', 'read.user', 'read.assistant'], ['eve'])],
  ])('learns nothing of what exists when it %s', async (_which, stranger) => {
    await scene.write(WALKING, 'one', { nonce: nonceOf('used', START) });
    const { versionHash } = await scene.write(RISK);
    const uris = [
      WALKING,
      RISK,
      'fact://ray/risk',
      'fact-internal://ray/walking',
      'fact://ray/nothing',
      'fact-internal://ray/nothing',
    ];
    const parts = [{}, { ifMatch: versionHash }, { ifMatch: OTHER_HASH }, { nonce: nonceOf('used', START) }];
    for (const uri of uris) {
      for (const part of parts) {
        const attempt = (): Promise<PublishOutcome> =>
          scene.live.publish(stranger, publicationOf(uri, 'x', part));
        expect(await withoutTrace(attempt)).toEqual({ kind: 'absent' });
      }
    }
  });
});
