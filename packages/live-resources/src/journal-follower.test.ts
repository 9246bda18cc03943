import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiveScene } from '../testing/live-scene.ts';
import { appendOf, sampleFact, versionAfter, write } from '../testing/sample-facts.ts';
import { BEGINNING, type JournalEntry, type Position } from './journal.ts';
import { followJournal } from './journal-follower.ts';
import { createMemoryStore } from './memory-store.ts';
import type { FactStore } from './store.ts';

const FACTS = [
  sampleFact('user', 'ray', 'walking'),
  sampleFact('assistant', 'ray', 'risk'),
  sampleFact('user', 'eve', 'walking'),
] as const;

async function storeWith(entries: number): Promise<FactStore> {
  const store = createMemoryStore();
  for (let count = 0; count < entries; count += 1) await write(store, FACTS[count % 3] ?? FACTS[0]);
  return store;
}

const positions = (entries: readonly JournalEntry[]): number[] => entries.map(({ position }) => position);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('a journal follower', () => {
  it('gives every entry once and in order, over more than one batch', async () => {
    const store = await storeWith(600);
    const seen: JournalEntry[] = [];
    await followJournal(store, BEGINNING, (entry) => seen.push(entry)).wake();
    expect(positions(seen)).toEqual(upTo(600));
    expect(seen).toEqual(await store.journal(BEGINNING, 600));
  });

  it.each([256, 512])('stops after a last batch of full size: %i entries', async (count) => {
    const seen: JournalEntry[] = [];
    await followJournal(await storeWith(count), BEGINNING, (entry) => seen.push(entry)).wake();
    expect(positions(seen)).toEqual(upTo(count));
  });

  it('begins after the position it was given', async () => {
    const store = await storeWith(5);
    const seen: JournalEntry[] = [];
    await followJournal(store, 3 as Position, (entry) => seen.push(entry)).wake();
    expect(positions(seen)).toEqual([4, 5]);
  });

  it('reads nothing before it is woken, and nothing again when nothing was added', async () => {
    const seen: JournalEntry[] = [];
    const follower = followJournal(await storeWith(2), BEGINNING, (entry) => seen.push(entry));
    expect(seen).toEqual([]);
    await follower.wake();
    await follower.wake();
    expect(positions(seen)).toEqual([1, 2]);
  });

  it('makes up for wake-ups that never came', async () => {
    const store = await storeWith(1);
    const seen: JournalEntry[] = [];
    const follower = followJournal(store, BEGINNING, (entry) => seen.push(entry));
    await follower.wake();
    for (const fact of FACTS) await write(store, fact);
    await follower.wake();
    expect(positions(seen)).toEqual(upTo(4));
  });

  it('loses no wake-up and doubles no entry, however reading and writing interleave', async () => {
    const actions = fc.array(fc.constantFrom('write', 'wake', 'write and wake', 'pause'), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), actions, async (scheduler, history) => {
        const memory = createMemoryStore();
        const store = { ...memory, journal: scheduler.scheduleFunction(memory.journal) };
        const seen: JournalEntry[] = [];
        const follower = followJournal(store, BEGINNING, (entry) => seen.push(entry));
        const wakes: Promise<void>[] = [];
        for (const action of history) {
          if (action.startsWith('write')) await write(memory, FACTS[0]);
          if (action.endsWith('wake')) {
            const written = await memory.journalHead();
            // Whoever wakes it may rely on this: what stood before has been seen when the promise resolves.
            wakes.push(follower.wake().then(() => expect(seen.length).toBeGreaterThanOrEqual(written)));
          }
          if (action === 'pause' && scheduler.count() > 0) await scheduler.waitOne();
        }
        wakes.push(follower.wake());
        await scheduler.waitFor(Promise.all(wakes));
        expect(positions(seen)).toEqual(upTo(await memory.journalHead()));
      }),
    );
  });

  it('loses no wake-up at any moment between two turns of the program', async () => {
    const missed: number[] = [];
    for (let moment = 0; moment < 40; moment += 1) {
      const store = createMemoryStore();
      const first = versionAfter({ fact: null, lane: null }, FACTS[0]);
      const lane = { ordinal: first.laneOrdinal, writtenAt: first.writtenAt };
      const second = versionAfter({ fact: first, lane }, FACTS[0]);
      await store.append(appendOf(first));
      const seen: JournalEntry[] = [];
      const follower = followJournal(store, BEGINNING, (entry) => seen.push(entry));
      void follower.wake();
      for (let turn = 0; turn < moment; turn += 1) await Promise.resolve();
      void store.append(appendOf(second));
      await follower.wake();
      if (seen.length !== 2) missed.push(moment);
    }
    expect(missed).toEqual([]);
  });

  it('gives one promise to all that wake it while it reads', async () => {
    const store = await storeWith(3);
    const seen: JournalEntry[] = [];
    const follower = followJournal(store, BEGINNING, (entry) => seen.push(entry));
    await Promise.all([follower.wake(), follower.wake(), follower.wake()]);
    expect(positions(seen)).toEqual([1, 2, 3]);
  });

  it('picks up what is published while an entry is handled', async () => {
    const { live, write: publish } = createLiveScene();
    const seen: JournalEntry[] = [];
    const answers: Promise<unknown>[] = [];
    const follower = followJournal(live.store, BEGINNING, (entry) => {
      seen.push(entry);
      if (entry.version < 5) answers.push(publish(entry.uri ?? '').then(() => follower.wake()));
    });
    await publish('fact://ray/walking');
    await follower.wake();
    while (answers.length > 0) await answers.shift();
    expect(seen.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5]);
  });

  it('goes on where it stood after the store failed', async () => {
    const memory = await storeWith(300);
    let failures = 2;
    const store: FactStore = {
      ...memory,
      async journal(after, limit) {
        if (after === 256 && failures > 0) {
          failures -= 1;
          throw new Error('the disk is gone');
        }
        return memory.journal(after, limit);
      },
    };
    const seen: JournalEntry[] = [];
    const follower = followJournal(store, BEGINNING, (entry) => seen.push(entry));
    await expect(follower.wake()).rejects.toThrow('the disk is gone');
    expect(positions(seen)).toEqual(upTo(256));
    await expect(follower.wake()).rejects.toThrow('the disk is gone');
    await follower.wake();
    expect(positions(seen)).toEqual(upTo(300));
  });
});

async function handed(count: number) {
  const store = await storeWith(count);
  const entries = await store.journal(BEGINNING, count);
  const [seen, reads]: [number[], number[]] = [[], []];
  const counting: FactStore = {
    ...store,
    journal(after, limit) {
      reads.push(after);
      return store.journal(after, limit);
    },
  };
  const follower = followJournal(counting, BEGINNING, ({ position }) => seen.push(position));
  const entry = (position: number): JournalEntry => {
    const found = entries[position - 1];
    if (found === undefined) throw new Error('no such entry');
    return found;
  };
  return { entry, seen, reads, follower };
}

describe('an entry that is handed over', () => {
  it('is taken without reading when it is the next one, and reading goes on behind it', async () => {
    const { entry, seen, reads, follower } = await handed(3);
    await follower.take(entry(1));
    await follower.take(entry(2));
    expect(seen).toEqual([1, 2]);
    expect(reads).toEqual([]);
    await follower.wake();
    expect(seen).toEqual([1, 2, 3]);
  });

  it('that is ahead makes the follower read what lies between, each entry once and in order', async () => {
    const { entry, seen, follower } = await handed(3);
    await follower.take(entry(3));
    await follower.take(entry(2));
    await follower.take(entry(1));
    expect(seen).toEqual([1, 2, 3]);
  });

  it('during a reading is not taken twice', async () => {
    const { entry, seen, follower } = await handed(3);
    await Promise.all([follower.wake(), follower.take(entry(1)), follower.take(entry(3))]);
    expect(seen).toEqual([1, 2, 3]);
  });
});
