import { beforeEach, describe, expect, it } from 'vitest';
import {
  createMemoryRevocationStore,
  type MemoryRevocationStore,
} from '../../testing/memory-revocation-store.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { createRevocationRegistry, type RevocationStore } from './revocation-registry.ts';

let clock: VirtualClock;
let store: MemoryRevocationStore;
let nextHour: number;

beforeEach(() => {
  clock = createVirtualClock();
  store = createMemoryRevocationStore();
  nextHour = clock.now() / 1000 + 3600;
});

async function openRegistry(over: RevocationStore = store) {
  const registry = createRevocationRegistry(over, clock);
  await registry.load();
  return registry;
}

describe('a revocation', () => {
  it('holds at once, and after a restart', async () => {
    const registry = await openRegistry();
    const durable = registry.revoke({ tokenHash: 'a', expiresAt: nextHour });
    expect(registry.isRevoked('a')).toBe(true);
    await durable;
    expect(store.kept).toEqual(new Map([['a', nextHour]]));
    expect((await openRegistry()).isRevoked('a')).toBe(true);
    expect(registry.isRevoked('b')).toBe(false);
  });

  it('is acknowledged only when the store has it', async () => {
    const written = Promise.withResolvers<void>();
    const registry = await openRegistry({ ...store, add: () => written.promise });
    let acknowledged = false;
    const durable = registry.revoke({ tokenHash: 'a', expiresAt: nextHour }).then(() => {
      acknowledged = true;
    });
    await new Promise(setImmediate);
    expect(acknowledged).toBe(false);
    written.resolve();
    await durable;
    expect(acknowledged).toBe(true);
  });

  it('holds here though the store fails, says so, and is written when tried again', async () => {
    let isFull = true;
    const registry = await openRegistry({
      ...store,
      async add(tokenHash, expiresAt) {
        if (isFull) throw new Error('disk full');
        await store.add(tokenHash, expiresAt);
      },
    });
    const revocation = { tokenHash: 'a', expiresAt: nextHour };
    await expect(registry.revoke(revocation)).rejects.toThrow('disk full');
    expect(registry.isRevoked('a')).toBe(true);
    isFull = false;
    await registry.revoke(revocation);
    expect(store.kept.has('a')).toBe(true);
  });

  it('may be repeated, and be of a token that has ended', async () => {
    const registry = await openRegistry();
    const ended = { tokenHash: 'a', expiresAt: nextHour - 7200 };
    await registry.revoke(ended);
    await registry.revoke(ended);
    expect(registry.isRevoked('a')).toBe(true);
  });

  it('outlasts its token by what a tolerant verifier allows', async () => {
    await store.add('a', clock.now() / 1000 - 299);
    await store.add('b', clock.now() / 1000 - 301);
    const registry = await openRegistry();
    expect(registry.isRevoked('a')).toBe(true);
    expect(registry.isRevoked('b')).toBe(false);
  });

  it('leaves the memory some time after its token ended', async () => {
    const registry = await openRegistry();
    for (let n = 0; n < 1024; n += 1) await registry.revoke({ tokenHash: `old ${n}`, expiresAt: nextHour });
    clock.advanceSeconds(3600 + 300);
    await registry.revoke({ tokenHash: 'a', expiresAt: nextHour + 7200 });
    expect(registry.isRevoked('old 0')).toBe(true);
    clock.advanceSeconds(1);
    await registry.revoke({ tokenHash: 'b', expiresAt: nextHour + 7200 });
    expect(registry.isRevoked('old 0')).toBe(true);
    for (let n = 0; n < 1024; n += 1) {
      await registry.revoke({ tokenHash: `new ${n}`, expiresAt: nextHour + 7200 });
    }
    expect(registry.isRevoked('old 0')).toBe(false);
    expect(registry.isRevoked('a')).toBe(true);
    expect(registry.isRevoked('new 0')).toBe(true);
  });
});

describe('a listener', () => {
  it('hears of each revocation once, until it stops listening', async () => {
    const registry = await openRegistry();
    const heard: string[] = [];
    const stop = registry.onRevoked((tokenHash) => heard.push(tokenHash));
    await registry.revoke({ tokenHash: 'a', expiresAt: nextHour });
    await registry.revoke({ tokenHash: 'a', expiresAt: nextHour });
    await registry.revoke({ tokenHash: 'b', expiresAt: nextHour });
    stop();
    await registry.revoke({ tokenHash: 'c', expiresAt: nextHour });
    expect(heard).toEqual(['a', 'b']);
  });

  it('hears of what another node revoked, when it is loaded again', async () => {
    const here = await openRegistry();
    const there = await openRegistry();
    const heard: string[] = [];
    here.onRevoked((tokenHash) => heard.push(tokenHash));
    await there.revoke({ tokenHash: 'a', expiresAt: nextHour });
    expect(here.isRevoked('a')).toBe(false);
    await here.load();
    await here.load();
    expect(here.isRevoked('a')).toBe(true);
    expect(heard).toEqual(['a']);
  });

  it('that fails keeps neither the others nor the store from knowing, and is not passed over', async () => {
    const registry = await openRegistry();
    const heard: string[] = [];
    registry.onRevoked(() => {
      throw new Error('stream already gone');
    });
    registry.onRevoked((tokenHash) => heard.push(tokenHash));
    const revoking = registry.revoke({ tokenHash: 'a', expiresAt: nextHour });
    await expect(revoking).rejects.toThrow(AggregateError);
    expect(heard).toEqual(['a']);
    expect(store.kept.has('a')).toBe(true);
  });
});

it('answers nothing before it is loaded, and keeps what was revoked meanwhile', async () => {
  const registry = createRevocationRegistry(store, clock);
  expect(() => registry.isRevoked('a')).toThrow('loaded');
  await registry.revoke({ tokenHash: 'a', expiresAt: nextHour });
  await registry.load();
  expect(registry.isRevoked('a')).toBe(true);
});
