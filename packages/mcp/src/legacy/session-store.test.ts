import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../caller.ts';
import { createListenHub } from '../hub/listen-hub.ts';
import { noRepository } from '../session-repository.ts';
import { sessionFrames } from './frames.ts';
import { type Session, SessionStore } from './session-store.ts';

// Shared by all runs of a property, which open the same sessions again and again.
const streamsPerOwner = Number.POSITIVE_INFINITY;
const hub = createListenHub<string>({ monotonicNow: () => 0, onFault: () => undefined, streamsPerOwner });

function callerOf(sub: string): Caller<string> {
  return { principal: sub, sub, clientId: 'c', isLive: () => true };
}

/** A store with a clock that goes on at each look, so that no two sessions were used at the same time. */
function storeOf(sessions: number, sessionsPerOwner: number): SessionStore<string> {
  let now = 0;
  return new SessionStore<string>({
    limits: { sessions, sessionsPerOwner, sessionIdleMs: Number.MAX_SAFE_INTEGER },
    randomness: {
      bytes: (purpose, record, length) =>
        createHash('sha256').update(`${purpose}\n${record}`).digest().subarray(0, length),
    },
    monotonicNow: () => {
      now += 1;
      return now;
    },
    repository: noRepository,
    onFault: (error) => {
      throw error;
    },
  });
}

const open = (store: SessionStore<string>, owner: string) => store.open(callerOf(owner), '2025-11-25', null);

/** Gives a session the open stream that makes it one in use. */
function use(session: Session<string>): void {
  const attachment = hub.attach(
    callerOf(`${session.owner} ${session.id}`),
    new ServerResponse(new IncomingMessage(new Socket())),
    sessionFrames,
  );
  if (attachment.kind !== 'attached') throw new Error(attachment.kind);
  session.stream = attachment.listener;
}

async function openMany(
  store: SessionStore<string>,
  owner: string,
  count: number,
): Promise<Session<string>[]> {
  const opened: Session<string>[] = [];
  for (let n = 0; n < count; n += 1) {
    const session = await open(store, owner);
    if (session === undefined) throw new Error(`${owner} could not open`);
    opened.push(session);
  }
  return opened;
}

describe('a store that is full', () => {
  it('has whoever opens one session after the other take from itself', async () => {
    const store = storeOf(8, 6);
    const [victim] = await openMany(store, 'victim', 1);
    await openMany(store, 'attacker', 500);

    expect(await store.find(victim?.id ?? '', callerOf('victim'))).toBe(victim);
    expect(store.size).toBe(7);
  });

  it('has whoever may open more than there is room for take from itself', async () => {
    const store = storeOf(8, 100);
    const victims = [await openMany(store, 'one', 1), await openMany(store, 'two', 2)].flat();
    await openMany(store, 'attacker', 500);

    for (const { id, owner } of victims) {
      const [sub] = JSON.parse(owner) as [string];
      expect(await store.find(id, callerOf(sub))).toBeDefined();
    }
    expect(store.size).toBe(8);
  });

  it('refuses an attacker whose sessions are all in use, and takes from nobody for it', async () => {
    const store = storeOf(4, 4);
    const [victim] = await openMany(store, 'victim', 1);
    for (const session of await openMany(store, 'attacker', 3)) use(session);

    expect(await open(store, 'attacker')).toBeUndefined();
    expect(await store.find(victim?.id ?? '', callerOf('victim'))).toBe(victim);
  });

  it('keeps the one session of an owner when those who have more hold theirs in use', async () => {
    const store = storeOf(4, 4);
    for (const session of await openMany(store, 'large', 3)) use(session);
    const [small] = await openMany(store, 'small', 1);

    expect(await open(store, 'new')).toBeUndefined();
    expect(await store.find(small?.id ?? '', callerOf('small'))).toBe(small);
  });

  it('makes room for a new owner at the cost of the one with the most', async () => {
    const store = storeOf(8, 5);
    const medium = await openMany(store, 'medium', 1);
    const large = await openMany(store, 'large', 5);
    medium.push(...(await openMany(store, 'medium', 2)));
    const fresh = await open(store, 'new');

    expect(fresh).toBeDefined();
    for (const { id } of medium) expect(await store.find(id, callerOf('medium'))).toBeDefined();
    expect(await store.find(large[0]?.id ?? '', callerOf('large'))).toBeUndefined();
  });
});

it('takes from another owner only what is above its equal share and above what the opener has', async () => {
  const owners = ['a', 'b', 'c', 'd', 'e'];
  const step = fc.record({ owner: fc.constantFrom(...owners), inUse: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      fc.array(step, { maxLength: 40 }),
      async (most, steps) => {
        const store = storeOf(most, 6);
        let live: Session<string>[] = [];
        for (const { owner, inUse } of steps) {
          const count = (of: string): number => live.filter((session) => session.owner === of).length;
          const session = await open(store, owner);
          const left: Session<string>[] = [];
          for (const before of live) {
            const [sub] = JSON.parse(before.owner) as [string];
            if ((await store.find(before.id, callerOf(sub))) === before) left.push(before);
          }
          const lost = live.filter((before) => !left.includes(before));
          const own = JSON.stringify([owner, 'c']);
          const sharing = new Set([own, ...live.map((before) => before.owner)]).size;
          expect(lost.length).toBeLessThanOrEqual(1);
          for (const { owner: loser, stream } of lost) {
            expect(stream).toBeUndefined();
            if (loser === own) continue;
            expect(count(loser)).toBeGreaterThan(count(own));
            expect(count(loser)).toBeGreaterThanOrEqual(most / sharing);
          }
          live = session === undefined ? left : [...left, session];
          if (session !== undefined && inUse) use(session);
          expect(live.length).toBeLessThanOrEqual(most);
        }
      },
    ),
    { numRuns: 200 },
  );
});
