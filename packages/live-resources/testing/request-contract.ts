import { describe, expect, it } from 'vitest';
import type { FactStore, RequestKey } from '../src/store.ts';
import { type Open, onNewStore } from './open-store.ts';
import {
  appendOf,
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
const STAIRS = sampleFact('user', 'ray', 'stairs');
const KEY: RequestKey = { id: 'a'.repeat(64), requestHash: 'b'.repeat(64), expiresAt: later(START, 1000) };

/** A request of one id is answered with one version. */
export function requestContract(open: Open): void {
  describe('an answered request', () => {
    it(
      'is known with its version from then on, and no other is',
      onNewStore(open, async (store) => {
        expect(await store.answered(KEY.id)).toBeNull();
        await write(store, STAIRS);
        await write(store, WALKING);
        await append(store, { request: KEY });
        const { subject, topic } = WALKING;
        expect(await store.answered(KEY.id)).toEqual({
          requestHash: KEY.requestHash,
          fact: { subject, topic },
          version: 2,
        });
        expect(await store.answered('c'.repeat(64))).toBeNull();
      }),
    );

    it(
      'makes a second append of its id lose, and that changes nothing and uses up no nonce',
      onNewStore(open, async (store) => {
        await append(store, { request: KEY });
        const before = await everythingIn(store);
        const nonce = nonceOf('signature-1', START);
        expect(await append(store, { request: KEY, nonce })).toEqual({ kind: 'moved' });
        expect(await everythingIn(store)).toEqual(before);
        expect((await append(store, { nonce })).kind).toBe('appended');
      }),
    );

    it(
      'is not remembered for an append that lost',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const stale = versionAfter({ fact: null, lane: null }, WALKING);
        expect(await store.append(appendOf(stale, { request: KEY }))).toEqual({ kind: 'moved' });
        expect(await store.answered(KEY.id)).toBeNull();
      }),
    );

    it(
      'of two at once is one',
      onNewStore(open, async (store) => {
        const heads = await store.heads(WALKING, sampleLane(WALKING));
        const entry = appendOf(versionAfter(heads, WALKING), { request: KEY });
        const outcomes = await Promise.all([store.append(entry), store.append(entry)]);
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['appended', 'moved']);
        expect(await faultsIn(store)).toEqual([]);
      }),
    );
  });
}

async function append(store: FactStore, parts: Parameters<typeof appendOf>[1]) {
  const version = versionAfter(await store.heads(WALKING, sampleLane(WALKING)), WALKING);
  return store.append(appendOf(version, parts));
}
