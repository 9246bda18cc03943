import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createCursorCodec,
  createLiveResources,
  type LiveResources,
  type PublishOutcome,
  type RequestKey,
} from '@unsay/live-resources';
import { faultsIn, later, PARTITION, publicationOf, START, writer } from '@unsay/live-resources/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomness, storeOn } from '../../testing/open-sqlite-store.ts';
import { type TemporaryFolder, temporaryFolder } from '../../testing/temporary-folder.ts';
import type { SqliteDatabase } from './database.ts';
import { openDatabase } from './open-database.ts';

let folder: TemporaryFolder;
let db: SqliteDatabase;
let live: LiveResources;
beforeEach(async () => {
  folder = temporaryFolder();
  db = openDatabase(folder.path);
  live = createLiveResources({
    partition: PARTITION,
    store: await storeOn(db),
    clock: { now: () => Date.parse(START) },
    randomness,
    cursors: createCursorCodec(new Uint8Array(32)),
    defaultAuthorLabel: 'your care team',
  });
});
afterEach(() => {
  db.close();
  folder[Symbol.dispose]();
});

const topic = (n: number): string => `fact://ray/topic-${n}`;
const write = (uri: string, value = 'said', parts = {}) =>
  live.publish(writer, publicationOf(uri, value, parts));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** How many transactions the log holds (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
function commits(): number {
  const log = readFileSync(join(folder.path, 'unsay.db-wal'));
  const frame = 24 + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let count = 0;
  for (let at = 32; at + frame <= log.length; at += frame) {
    if (log.subarray(at + 8, at + 16).equals(salts) && log.readUInt32BE(at + 4) > 0) count += 1;
  }
  return count;
}

describe('work of one turn', () => {
  it('is one transaction, in the order in which it arrived', async () => {
    const seen: unknown[] = [];
    const count = db.prepare('SELECT count(*) AS n FROM meta');
    const insert = db.prepare('INSERT INTO meta (key, value) VALUES (:key, :value)');
    const before = Number(count.get()?.n);
    const results = await Promise.all(
      numbers(3).map((n) =>
        db.group(
          () => {
            insert.run({ key: `k${n}`, value: new Uint8Array() });
            return Number(count.get()?.n);
          },
          (result) => seen.push([n, result, Number(count.get()?.n)]),
        ),
      ),
    );
    expect(results).toEqual([before + 1, before + 2, before + 3]);
    // What is to follow the commit follows the commit of all.
    expect(seen).toEqual(numbers(3).map((n) => [n, before + n, before + 3]));
  });

  it('is not written before its turn has ended, and is written when the store is closed first', async () => {
    const insert = db.prepare("INSERT INTO meta (key, value) VALUES ('late', x'00')");
    const find = db.prepare("SELECT 1 AS found FROM meta WHERE key = 'late'");
    const written = db.group(() => insert.run());
    expect(find.get()).toBeUndefined();
    db.close();
    expect(await written).toBe(1);
    db = openDatabase(folder.path);
    expect(db.prepare("SELECT 1 AS found FROM meta WHERE key = 'late'").get()).toBeDefined();
  });

  it('is rejected, and never left waiting, when the store is closed already', async () => {
    db.close();
    await expect(db.group(() => 1)).rejects.toThrow();
  });

  it('that throws is rolled back alone, and what was kept in memory with it', async () => {
    const last = db.prepare('SELECT max(key) AS key FROM meta');
    const insert = db.prepare('INSERT INTO meta (key, value) VALUES (:key, :value)');
    const kept = db.keep(() => String(last.get()?.key));
    const add = (key: string, fault?: string) =>
      db.group(() => {
        insert.run({ key, value: new Uint8Array() });
        kept.set(key);
        if (fault !== undefined) throw new Error(fault);
        return kept.get();
      });
    const writes = await Promise.allSettled([
      add('x1'),
      add('x2'),
      add('x3', 'broken'),
      add('x4'),
      add('x5', 'too'),
    ]);
    expect(writes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(kept.get()).toBe('x4');
    expect(db.prepare("SELECT group_concat(key) AS keys FROM meta WHERE key LIKE 'x%'").get()?.keys).toBe(
      'x1,x2,x4',
    );
  });
});

describe('writers of one lane', () => {
  it('are all published at once, in the order in which they came, and share a commit', async () => {
    const before = commits();
    const outcomes = await Promise.all(numbers(64).map((n) => write(topic(n % 9), `by ${n}`)));
    expect(commits()).toBe(before + 1);
    const versions = outcomes.map((outcome) => (outcome.kind === 'published' ? outcome.version : null));
    expect(versions.map((version) => version?.laneOrdinal)).toEqual(numbers(64));
    expect(versions.map((version) => version?.value)).toEqual(numbers(64).map((n) => `by ${n}`));
    expect(await faultsIn(live.store)).toEqual([]);
  });

  it('start over, and are published, when one they follow has no room', async () => {
    await write(topic(0));
    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    db.prepare(`PRAGMA max_page_count = ${pages + 8}`).get();
    const writes = await Promise.allSettled(
      numbers(12).map((n) => write(topic(n), n === 4 ? 'x'.repeat(200_000) : 'short')),
    );
    expect(writes.flatMap(({ status }, n) => (status === 'rejected' ? [n + 1] : []))).toEqual([4]);
    expect(await faultsIn(live.store)).toEqual([]);
    expect(await live.store.journalHead()).toBe(12);
  });

  it('fail by themselves when there is room for none, and go on once there is', async () => {
    await write(topic(0));
    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    db.prepare(`PRAGMA max_page_count = ${pages}`).get();
    const writes = await Promise.allSettled(numbers(8).map((n) => write(topic(n), 'x'.repeat(50_000))));
    for (const result of writes)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'full' } });
    expect(await live.store.journalHead()).toBe(1);
    db.prepare(`PRAGMA max_page_count = ${pages + 10_000}`).get();
    const again = await Promise.all(numbers(8).map((n) => write(topic(n), 'x'.repeat(50_000))));
    expect(again.map((outcome) => outcome.kind === 'published' && outcome.version.laneOrdinal)).toEqual(
      numbers(9).slice(1),
    );
    expect(await faultsIn(live.store)).toEqual([]);
  });

  it('start over behind a replayed signature, however many there are', async () => {
    const nonce = { id: 'once', expiresAt: later(START, 300_000) };
    await write(topic(0), 'first', { nonce });
    const outcomes = await Promise.all(
      numbers(40).map((n) => write(topic(n), 'said', n % 2 === 0 ? { nonce } : {})),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      numbers(40).map((n) => (n % 2 === 0 ? 'replayed' : 'published')),
    );
    expect(await faultsIn(live.store)).toEqual([]);
  });

  it('are published although one who is refused comes before them every time', async () => {
    const nonce = { id: 'once', expiresAt: later(START, 300_000) };
    await write(topic(0), 'first', { nonce });
    const refused: Promise<PublishOutcome>[] = [];
    const replay = (): void => {
      refused.push(behind.publish(writer, publicationOf(topic(1), 'again', { nonce })));
    };
    const behind = createLiveResources({
      ...live,
      store: {
        ...live.store,
        async append(entry) {
          const outcome = await live.store.append(entry);
          // Before the one that lost can start over.
          if (outcome.kind === 'moved') replay();
          return outcome;
        },
      },
    });
    replay();
    const honest = await behind.publish(writer, publicationOf(topic(2), 'said'));
    expect(honest).toMatchObject({ kind: 'published', version: { laneOrdinal: 2 } });
    expect((await Promise.all(refused)).map(({ kind }) => kind)).toEqual([
      'replayed',
      'replayed',
      'replayed',
    ]);
  });

  it('send a request again without making others start over', async () => {
    const request: RequestKey = { id: '1'.repeat(64), requestHash: '2'.repeat(64), expiresAt: START };
    let appends = 0;
    const counting = createLiveResources({
      ...live,
      store: {
        ...live.store,
        append(entry) {
          appends += 1;
          return live.store.append(entry);
        },
      },
    });
    const publications = [{ request }, { request }, {}, { request }, {}];
    const outcomes = await Promise.all(
      publications.map((parts, n) => counting.publish(writer, publicationOf(topic(n), 'said', parts))),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'published',
      'repeated',
      'published',
      'repeated',
      'published',
    ]);
    expect(appends).toBe(3);
  });

  it('send one request once, among others', async () => {
    const request: RequestKey = { id: '1'.repeat(64), requestHash: '2'.repeat(64), expiresAt: START };
    const outcomes = await Promise.all(
      numbers(30).map((n) => (n % 3 === 0 ? write(topic(0), 'said', { request }) : write(topic(n)))),
    );
    const repeated = outcomes.filter((_, n) => (n + 1) % 3 === 0).map(({ kind }) => kind);
    expect(repeated).toEqual(['published', ...Array<string>(9).fill('repeated')]);
    expect(await live.store.journalHead()).toBe(21);
  });

  it('are told of a head that moved once it is stored, and never of one that had no room', async () => {
    const first = await write(topic(0), 'first');
    if (first.kind !== 'published') throw new Error('the first version was not published');
    const ifMatch = first.version.versionHash;
    const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
    db.prepare(`PRAGMA max_page_count = ${pages + 8}`).get();
    const [lost, second, third] = await Promise.allSettled([
      write(topic(0), 'x'.repeat(200_000), { ifMatch }),
      write(topic(0), 'second', { ifMatch }),
      write(topic(0), 'third', { ifMatch }),
    ]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'full' } });
    const stored = await live.store.version(
      { subject: first.version.subject, topic: first.version.topic },
      null,
    );
    expect(stored).toMatchObject({ version: 2, prevHash: ifMatch });
    const ends = [second, third].map((end) => (end?.status === 'fulfilled' ? end.value : null));
    expect(ends.map((end) => end?.kind).sort()).toEqual(['head_moved', 'published']);
    expect(ends).toContainEqual({ kind: 'head_moved', head: stored?.versionHash });
  });
});
