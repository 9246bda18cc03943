import { listener, sampleFact, sentenceOf, textOf, write } from '@unsay/live-resources/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ledgerOn } from '../../testing/open-sqlite-ledger.ts';
import type { RecordKey } from '../envelope/record-key.ts';
import { bytesOf, type Row, textOf as textIn } from '../rows/cells.ts';
import { sentenceOf as sentenceOfRow, textOfRow } from '../rows/sentence-rows.ts';
import type { SqliteDatabase } from './database.ts';
import { openDatabase } from './open-database.ts';

const SEALED = ['key_id', 'nonce', 'tag', 'commitment', 'ciphertext'] as const;
const LISTENERS = [listener('phone'), listener('shelf')];
const FACTS = [
  sampleFact('user', 'ray', 'walk'),
  sampleFact('user', 'ray', 'bath'),
  sampleFact('assistant', 'ray', 'risk'),
  sampleFact('user', 'eve', 'walk'),
];

type Opened = Awaited<ReturnType<typeof ledgerOn>> & { readonly db: SqliteDatabase };
type Stored = { readonly from: Opened; readonly table: 'sentences' | 'texts'; readonly row: Row };

let filled: readonly Opened[];
let rows: Stored[];

async function fill(): Promise<Opened> {
  const db = openDatabase(':memory:');
  const opened = { db, ...(await ledgerOn(db)) };
  const text = textOf('Walk.', ['fact://ray/walk/v1']);
  for (const fact of FACTS) {
    await write(opened.store, fact);
    await write(opened.store, fact);
    for (const id of LISTENERS) {
      await opened.ledger.change(id, { subject: fact.subject, topics: [fact.topic] }, () => [
        sentenceOf(id, fact),
        sentenceOf(id, fact, { state: 'failed', text: text.id }),
        sentenceOf(id, fact, { version: 2, takesBack: 1 }),
      ]);
    }
  }
  for (const words of ['Walk.', 'Bathe.']) {
    await opened.ledger.keep(textOf(words, ['fact://ray/walk/v1']));
    await opened.ledger.keep(textOf(words, ['fact://eve/walk/v1']));
  }
  return opened;
}

beforeAll(async () => {
  filled = [await fill(), await fill()];
  rows = filled.flatMap((from) =>
    (['sentences', 'texts'] as const).flatMap((table) =>
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

async function opens({ from, table, row }: Stored, cells: Row): Promise<boolean> {
  const key: RecordKey | null = await from.keys.of(textIn(row.subject));
  if (key === null) throw new Error('every filled subject has a key');
  const changed = { ...row, ...cells };
  return (table === 'texts' ? textOfRow(key, changed) : sentenceOfRow(key, changed)) !== null;
}

const anyRow = fc.nat().map((index) => rows[index % rows.length] as Stored);

it('opens each sentence and each text where it stands', async () => {
  expect(rows).toHaveLength(2 * (FACTS.length * LISTENERS.length * 3 + 4));
  for (const row of rows) expect(await opens(row, {})).toBe(true);
});

it('opens none whose sealed bytes, any part of them, were brought from another slot, table or file', async () => {
  const parts = fc.subarray([...SEALED], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(anyRow, anyRow, parts, async (target, source, columns) => {
      const brought = Object.fromEntries(columns.map((column) => [column, source.row[column] ?? null]));
      const differs = columns.some((column) => !same(target.row[column], source.row[column]));
      expect(await opens(target, brought)).toBe(!differs);
    }),
    { numRuns: 1000 },
  );
});

it('opens none of which any clear column was changed', async () => {
  const sentences = rows.filter(({ table }) => table === 'sentences');
  const at = fc.nat().map((index) => sentences[index % sentences.length] as Stored);
  await fc.assert(
    fc.asyncProperty(at, at, async (target, source) => {
      // The subject chooses the key.
      const bound = Object.keys(target.row).filter((column) => ![...SEALED, 'subject'].includes(column));
      expect(bound).toHaveLength(7);
      for (const column of bound.filter((each) => !same(target.row[each], source.row[each]))) {
        expect(await opens(target, { [column]: source.row[column] ?? null })).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});

it('is damaged for whoever needs a record that does not open, and for nobody else', async () => {
  const { db, ledger } = await fill();
  const [phone, shelf] = LISTENERS as [(typeof LISTENERS)[0], (typeof LISTENERS)[0]];
  const everything = { subjects: '*', audiences: FACTS.map(({ rule }) => rule.audience) } as const;
  const one = db.prepare('SELECT * FROM sentences WHERE standing = 1 LIMIT 1').get();
  const ciphertext = Uint8Array.from(bytesOf(one?.ciphertext));
  ciphertext[0] = (ciphertext[0] ?? 0) ^ 1;
  db.write(() =>
    db.prepare('UPDATE sentences SET ciphertext = :ciphertext WHERE nonce = :nonce').run({
      ciphertext,
      nonce: bytesOf(one?.nonce),
    }),
  );
  const outcomes = await Promise.allSettled([phone, shelf].map((id) => ledger.standing(id, everything)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'damaged' } });
  db.close();
});

function same(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}
