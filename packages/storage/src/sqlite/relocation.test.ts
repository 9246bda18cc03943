import { attempt, later, nonceOf, START, sampleFact, write } from '@unsay/live-resources/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomness, sampleProvider } from '../../testing/open-sqlite-store.ts';
import type { RecordKey } from '../envelope/record-key.ts';
import { type KeyRing, openKeyRing } from '../keys/key-ring.ts';
import { bytesOf, type Row, textOf } from '../rows/cells.ts';
import { openName } from '../rows/name-rows.ts';
import { versionOf } from '../rows/version-rows.ts';
import { createAnsweredRequests } from './answered-requests.ts';
import { createAuditLog } from './audit-log.ts';
import type { SqliteDatabase } from './database.ts';
import { createSqliteFactStore } from './fact-store.ts';
import { openDatabase } from './open-database.ts';

const TABLES = ['versions', 'facts', 'audit', 'audit_counts', 'answered_requests'] as const;
const SEALED = ['key_id', 'nonce', 'tag', 'commitment', 'ciphertext'] as const;
type Table = (typeof TABLES)[number];

/** A database file of the same master key, with records of every table. */
interface Filled {
  readonly db: SqliteDatabase;
  readonly keys: KeyRing;
}

interface StoredRow {
  readonly from: Filled;
  readonly table: Table;
  readonly row: Row;
}

let filled: readonly [Filled, Filled];
let rows: StoredRow[];

async function fill(): Promise<Filled> {
  const db = openDatabase(':memory:');
  const clock = { now: () => Date.UTC(2026, 0, 5, 9) };
  const keys = await openKeyRing(db, { provider: sampleProvider(), randomness, clock });
  const store = createSqliteFactStore(db, keys);
  const facts = [
    sampleFact('user', 'ray', 'walking'),
    sampleFact('user', 'ray', 'stairs'),
    sampleFact('assistant', 'ray', 'risk'),
    sampleFact('user', 'eve', 'walking'),
  ];
  for (let round = 0; round < 3; round += 1) {
    for (const [index, fact] of facts.entries()) {
      const request = {
        id: `request ${round}/${index}`,
        requestHash: 'a'.repeat(64),
        expiresAt: later(START, 1000),
      };
      await write(store, fact, { value: 'the same words' }, { request });
    }
    await store.record(attempt(START), nonceOf(`signature ${round}`, START));
    await store.countRefusal(attempt(later(START, 3_600_000), { actor: `actor ${round}` }));
  }
  return { db, keys };
}

beforeAll(async () => {
  filled = [await fill(), await fill()];
  rows = filled.flatMap((from) =>
    TABLES.flatMap((table) =>
      from.db
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => ({ from, table, row })),
    ),
  );
});

afterAll(() => {
  for (const { db } of filled) db.close();
});

/** Whether the store of `target` still takes its row for the record, with these cells in it. */
async function opens({ from: { db, keys }, table, row }: StoredRow, cells: Row): Promise<boolean> {
  const subjectKey = async (): Promise<RecordKey> => {
    const key = await keys.of(textOf(row.subject));
    if (key === null) throw new Error('every filled subject has a key');
    return key;
  };
  const changed = { ...row, ...cells };
  switch (table) {
    case 'versions':
      return versionOf(await subjectKey(), changed) !== null;
    case 'facts':
      return openName(await subjectKey(), changed) !== null;
    default:
      return opensInPlace(db, keys.store, table, changed);
  }
}

/** The tables whose rows are opened where they stand: the row is changed, read and put back. */
function opensInPlace(db: SqliteDatabase, key: RecordKey, table: Table, changed: Row): boolean {
  const place = { audit: 'row_index', audit_counts: 'id', answered_requests: 'id_index' }[table as 'audit'];
  const sealed = Object.fromEntries(SEALED.map((column) => [column, changed[column] ?? null]));
  let opened: boolean | null = null;
  const putBack = new Error('put back');
  try {
    db.write(() => {
      const assignments = SEALED.map((column) => `${column} = :${column}`).join(', ');
      db.prepare(`UPDATE ${table} SET ${assignments} WHERE ${place} = :place`).run({
        ...sealed,
        place: changed[place] ?? null,
      });
      opened = readInPlace(db, key, table, changed);
      throw putBack;
    });
  } catch (error) {
    if (error !== putBack) throw error;
  }
  if (opened === null) throw new Error('nothing was read');
  return opened;
}

function readInPlace(db: SqliteDatabase, key: RecordKey, table: Table, row: Row): boolean {
  const log = createAuditLog(db, key);
  if (table === 'audit') return log.rows(Number(row.row_index), 1)[0]?.via === 'hmac';
  if (table === 'audit_counts') return log.counts().every(({ via }) => via === 'hmac');
  const requests = createAnsweredRequests(db, key);
  const ids = [0, 1, 2].flatMap((round) => [0, 1, 2, 3].map((index) => `request ${round}/${index}`));
  const id = ids.find((each) => Buffer.compare(key.index('request', each), bytesOf(row.id_index)) === 0);
  if (id === undefined) throw new Error('every filled request has an id');
  try {
    return requests.find(id) !== null;
  } catch {
    return false;
  }
}

it('has records of every table in both files, and each opens where it stands', async () => {
  for (const table of TABLES) {
    expect(rows.filter((row) => row.table === table && row.from === filled[1]).length).toBeGreaterThan(2);
  }
  for (const row of rows) expect(await opens(row, {})).toBe(true);
});

it('opens no record whose sealed bytes, any part of them, were brought from another slot, table or file', async () => {
  const at = fc.nat().map((index) => rows[index % rows.length] as StoredRow);
  const parts = fc.subarray([...SEALED], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(at, at, parts, async (target, source, columns) => {
      const brought = Object.fromEntries(columns.map((column) => [column, source.row[column] ?? null]));
      const differs = columns.some((column) => !same(target.row[column], source.row[column]));
      expect(await opens(target, brought)).toBe(!differs);
    }),
    { numRuns: 2000 },
  );
});

it('opens no version of which any clear column was taken from another', async () => {
  const versions = rows.filter(({ table }) => table === 'versions');
  const at = fc.nat().map((index) => versions[index % versions.length] as StoredRow);
  await fc.assert(
    fc.asyncProperty(at, at, async (target, source) => {
      // The subject chooses the key. The position is not bound: it counts what no reader may see.
      const free = [...SEALED, 'subject', 'position'];
      const bound = Object.keys(target.row).filter((column) => !free.includes(column));
      expect(bound).toHaveLength(9);
      for (const column of bound.filter((each) => !same(target.row[each], source.row[each]))) {
        expect(await opens(target, { [column]: source.row[column] ?? null })).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});

it('gives the same topic another index for another subject and in another file', () => {
  const indexes = rows
    .filter(({ table }) => table === 'facts')
    .map(({ row }) => Buffer.from(bytesOf(row.topic_index)).toString('hex'));
  expect(new Set(indexes).size).toBe(indexes.length);
});

function same(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}
