import { describe, expect, it } from 'vitest';
import type { FactStore, Nonce } from '../src/store.ts';
import { type Open, onNewStore } from './open-store.ts';
import {
  acceptance,
  appendOf,
  attempt,
  later,
  nonceOf,
  START,
  sampleFact,
  sampleLane,
  versionAfter,
  write,
} from './sample-facts.ts';
import { everythingIn, faultsIn } from './wholeness.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const RISK = sampleFact('assistant', 'ray', 'risk');
const DAY_MS = 24 * 60 * 60 * 1000;

/** A nonce is used up by an append or a refusal that was recorded, once. */
export function nonceContract(open: Open): void {
  describe('a nonce', () => {
    const nonce = nonceOf('signature-1', START);

    it(
      'that an append used up is replayed afterwards, and the replay changes nothing',
      onNewStore(open, async (store) => {
        await write(store, WALKING, {}, { nonce });
        await expectReplayed(store, nonce);
      }),
    );

    it(
      'that a refusal used up is replayed afterwards, and the replay changes nothing',
      onNewStore(open, async (store) => {
        expect(await store.record(attempt(START), nonce)).toBe('recorded');
        await expectReplayed(store, nonce);
      }),
    );

    it(
      'is told from every other',
      onNewStore(open, async (store) => {
        await write(store, WALKING, {}, { nonce });
        await write(store, WALKING, {}, { nonce: nonceOf('signature-2', START) });
        expect(await store.record(attempt(START), nonceOf('Signature-1', START))).toBe('recorded');
      }),
    );

    it(
      'is not used up by an append that was told the head moved',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const stale = versionAfter({ fact: null, lane: null }, WALKING);
        expect(await store.append(appendOf(stale, { nonce }))).toEqual({ kind: 'moved' });
        const next = versionAfter(await store.heads(WALKING, sampleLane(WALKING)), WALKING);
        expect((await store.append(appendOf(next, { nonce }))).kind).toBe('appended');
      }),
    );

    it(
      'lets exactly one of two concurrent uses win',
      onNewStore(open, async (store) => {
        const versions = [WALKING, RISK].map((fact) => versionAfter({ fact: null, lane: null }, fact));
        const outcomes = await Promise.all(
          versions.map((version) => store.append(appendOf(version, { nonce }))),
        );
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['appended', 'replayed']);
        const refusals = await Promise.all(
          [1, 2].map(() => store.record(attempt(START), nonceOf('again', START))),
        );
        expect(refusals.sort()).toEqual(['recorded', 'replayed']);
        expect(await faultsIn(store)).toEqual([]);
      }),
    );

    it(
      'is remembered for a day after it expired, since a clock may be set back',
      onNewStore(open, async (store) => {
        expect(await store.record(attempt(START), nonce)).toBe('recorded');
        const dayAfter = later(nonce.expiresAt, DAY_MS);
        for (const id of ['other-1', 'other-2']) {
          expect(await store.record(attempt(dayAfter), nonceOf(id, dayAfter))).toBe('recorded');
        }
        expect(await store.record(attempt(dayAfter), nonce)).toBe('replayed');
      }),
    );

    it(
      "is not forgotten because a lane's time runs years ahead of the clock",
      onNewStore(open, async (store) => {
        const ahead = later(START, 3650 * DAY_MS);
        await write(store, WALKING, { writtenAt: ahead }, { nonce });
        await write(store, WALKING, { writtenAt: ahead }, { nonce: nonceOf('signature-2', START) });
        await write(store, WALKING, { writtenAt: ahead }, { nonce: nonceOf('signature-3', START) });
        await expectReplayed(store, nonce);
      }),
    );
  });
}

async function expectReplayed(store: FactStore, nonce: Nonce): Promise<void> {
  const before = await everythingIn(store);
  const next = versionAfter(await store.heads(WALKING, sampleLane(WALKING)), WALKING);
  const audit = acceptance(next);
  expect(await store.append(appendOf(next, { audit, nonce }))).toEqual({ kind: 'replayed' });
  expect(await store.record(attempt(START), nonce)).toBe('replayed');
  expect(await everythingIn(store)).toEqual(before);
}
