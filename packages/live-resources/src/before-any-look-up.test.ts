import { describe, expect, it } from 'vitest';
import { createLiveScene, principalOf, publicationOf, writer } from '../testing/live-scene.ts';
import { createLiveResources } from './live-resources.ts';
import type { FactStore } from './store.ts';

const URI = 'fact://ray/walking';
const HALF = principalOf(['write', 'read.user']);
const STRANGER = principalOf(['write', 'read.user', 'read.assistant'], ['eve']);
const READER = principalOf(['read.user', 'read.assistant']);

/** A store that must not be asked anything. */
function untouchable(): FactStore {
  return new Proxy({} as FactStore, {
    get: (_target, name) => () => Promise.reject(new Error(`the store was asked for ${String(name)}`)),
  });
}

describe('a writer without the rights', () => {
  it.each([
    ['half a writer', HALF, 'absent'],
    ['a writer of another subject', STRANGER, 'absent'],
    ['no writer', READER, 'insufficient_scope'],
  ] as const)('%s is refused before the store is asked anything', async (_who, principal, kind) => {
    const { live } = createLiveScene();
    const { store: _store, ...parts } = live;
    const blind = createLiveResources({ ...parts, store: untouchable() });
    expect(await blind.publish(principal, publicationOf(URI, 'x'))).toEqual({ kind });
  });

  it('does not wait behind a writer who has them', async () => {
    const { live } = createLiveScene();
    const held = Promise.withResolvers<void>();
    const store: FactStore = {
      ...live.store,
      async append(entry) {
        await held.promise;
        return live.store.append(entry);
      },
    };
    const slow = createLiveResources({ ...live, store });
    const writing = slow.publish(writer, publicationOf(URI, 'x'));
    expect(await slow.publish(HALF, publicationOf(URI, 'y'))).toEqual({ kind: 'absent' });
    held.resolve();
    expect((await writing).kind).toBe('published');
  });
});

describe('a reader', () => {
  it('is kept from a fact of another audience by either check alone', async () => {
    const { live, write } = createLiveScene();
    const internal = await write('fact-internal://ray/risk', 'not to be said');
    const reader = principalOf(['read.user', 'read.assistant']);
    const lying: FactStore = {
      ...live.store,
      headFor: () => Promise.resolve(internal),
    };
    const trusting = createLiveResources({ ...live, store: lying });
    expect(await trusting.read(reader, 'fact://ray/risk')).toEqual({ kind: 'absent' });

    let asked = 0;
    const counting: FactStore = {
      ...live.store,
      version(fact, version) {
        asked += 1;
        return live.store.version(fact, version);
      },
    };
    const careful = createLiveResources({ ...live, store: counting });
    expect(await careful.read(reader, 'fact://ray/risk')).toEqual({ kind: 'absent' });
    expect(asked).toBe(0);
  });
});
