import { BEGINNING, type FactStore, followJournal, type JournalEntry } from '@unsay/live-resources';
import {
  appendOf,
  faultsIn,
  sampleFact,
  sampleLane,
  versionAfter,
  write,
} from '@unsay/live-resources/testing';
import fc from 'fast-check';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { postgresStoreOn, type TemporarySchema, temporarySchema } from '../../testing/open-postgres-store.ts';
import { watchedPool } from '../../testing/watched-pool.ts';
import type { PostgresDatabase } from './database.ts';
import { openPostgres } from './open-postgres.ts';

const clock = { now: () => 0 };
let schema: TemporarySchema;
let open: PostgresDatabase[];
beforeEach(async () => {
  schema = await temporarySchema();
  open = [];
});
afterEach(async () => {
  for (const db of open) await db.close();
  await schema.close();
});

/** A process of its own, as far as the database can tell, which asks before it commits. */
async function node(mayCommit: () => Promise<void> | void = () => undefined): Promise<FactStore> {
  const pool = watchedPool(new Pool({ connectionString: schema.url, max: 4 }), ({ text }) =>
    text === 'COMMIT' ? mayCommit() : undefined,
  );
  const db = await openPostgres({ pool, name: 'the test', clock });
  open.push(db);
  return postgresStoreOn(db);
}

interface Gate {
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  open(): void;
  reach(): void;
}

function gate(): Gate {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return { reached: reached.promise, opened: opened.promise, open: opened.resolve, reach: reached.resolve };
}

/** Resolves when a process waits for a lock, or when the one that should have waited is through. */
async function untilItWaits(writer: Promise<unknown>): Promise<void> {
  let isThrough = false;
  const through = (): void => {
    isThrough = true;
  };
  writer.then(through, through);
  const waiters = `SELECT pid FROM ${schema.processes} AND wait_event_type = 'Lock'`;
  while (!isThrough && (await schema.execute(waiters)).length === 0);
}

const firstOf = (topic: string) =>
  versionAfter({ fact: null, lane: null }, sampleFact('user', topic, 'walking'));

it('shows nobody a position while one before it is not committed, in whatever order commits are asked for', async () => {
  const held = gate();
  let isHeld = false;
  const slow = await node(async () => {
    if (!isHeld) return;
    held.reach();
    await held.opened;
  });
  const [quick, reader] = [await node(), await node()];
  const seen: JournalEntry[] = [];
  const follower = followJournal(reader, BEGINNING, (entry) => seen.push(entry));
  isHeld = true;
  const first = slow.append(appendOf(firstOf('ann')));
  await held.reached;
  // Its work is done and its commit is asked for before the first one's.
  const second = quick.append(appendOf(firstOf('ben')));
  await untilItWaits(second);
  await follower.wake();
  expect(seen).toEqual([]);
  held.open();
  expect(await first).toEqual({ kind: 'appended', position: 1 });
  expect(await second).toEqual({ kind: 'appended', position: 2 });
  await follower.wake();
  expect(seen.map(({ position, subject }) => [position, subject])).toEqual([
    [1, 'ann'],
    [2, 'ben'],
  ]);
});

it('leaves no gap behind a writer whose connection is cut with its commit held', async () => {
  const held = gate();
  let isHeld = false;
  const dying = await node(async () => {
    if (!isHeld) return;
    held.reach();
    await held.opened;
  });
  const next = await node();
  isHeld = true;
  const lost = dying.append(appendOf(firstOf('ann')));
  const refused = expect(lost).rejects.toMatchObject({ code: 'unreachable' });
  await held.reached;
  const waiting = next.append(appendOf(firstOf('ben')));
  await untilItWaits(waiting);
  await schema.execute(
    `SELECT pg_terminate_backend(pid) FROM ${schema.processes} AND state = 'idle in transaction'`,
  );
  expect(await waiting).toEqual({ kind: 'appended', position: 1 });
  isHeld = false;
  held.open();
  await refused;
  expect((await dying.append(appendOf(firstOf('ann')))).kind).toBe('appended');
  expect((await next.journal(BEGINNING, 9)).map(({ subject }) => subject)).toEqual(['ben', 'ann']);
  expect(await faultsIn(next)).toEqual([]);
});

it('is read without a gap beside writers of many processes whose commits are delayed at random', async () => {
  const delays = fc.array(fc.nat(6), { minLength: 40, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(delays, async (turns) => {
      const queue = [...turns];
      const delayed = async (): Promise<void> => {
        for (let left = queue.shift() ?? 0; left > 0; left -= 1) {
          await new Promise((resolve) => setTimeout(resolve, left));
        }
      };
      const writers = [await node(delayed), await node(delayed), await node(delayed)];
      const reader = await node();
      const start = await reader.journalHead();
      const seen: number[] = [];
      const follower = followJournal(reader, start, ({ position }) => seen.push(position));
      let isOver = false;
      const writing = Promise.all(
        writers.map(async (store, index) => {
          for (let count = 0; count < 8; count += 1) {
            await write(store, sampleFact('user', `subject-${index}-${open.length}`, 'walking'));
          }
        }),
      ).finally(() => {
        isOver = true;
      });
      while (!isOver) await follower.wake();
      await writing;
      await follower.wake();
      expect(seen).toEqual(Array.from({ length: 24 }, (_, index) => start + index + 1));
      expect(await faultsIn(reader)).toEqual([]);
    }),
    { numRuns: 3 },
  );
});

it('lets one of two processes win that follow the same heads, and tells the other', async () => {
  const [one, other] = [await node(), await node()];
  const fact = sampleFact('user', 'ray', 'walking');
  for (let round = 0; round < 10; round += 1) {
    const heads = await one.heads(fact, sampleLane(fact));
    const rivals = [one, other].map((store, index) =>
      store.append(appendOf(versionAfter(heads, fact, { value: `by ${index}` }))),
    );
    const outcomes = (await Promise.all(rivals)).map(({ kind }) => kind);
    expect(outcomes.sort()).toEqual(['appended', 'moved']);
  }
  expect((await one.chain(fact)).versions).toHaveLength(10);
  expect(await faultsIn(other)).toEqual([]);
});
