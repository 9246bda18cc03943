import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BEGINNING, type FactStore, replayAudit, replayChain } from '@unsay/live-resources';
import {
  attempt,
  EVERY_LANE,
  faultsIn,
  nonceOf,
  START,
  sampleFact,
  sampleLane,
  write,
} from '@unsay/live-resources/testing';
import { describe, expect, it } from 'vitest';
import { sampleProvider, storeOn } from '../../testing/open-sqlite-store.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { decodeFields, encodeFields, type Field } from '../envelope/fields.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';
import { StorageError } from '../storage-error.ts';
import type { SqliteDatabase } from './database.ts';
import { openDatabase } from './open-database.ts';

const HURT = sampleFact('user', 'ray', 'walking');
const SOUND = sampleFact('user', 'ray', 'stairs');
const ELSEWHERE = sampleFact('user', 'eve', 'walking');
const SECOND = 'position = 4';
const HEAD = 'position = 7';
const ROW_OF_HURT = 'topic_index = (SELECT topic_index FROM versions WHERE position = 1)';
const PROVIDERS = { sealed: sampleProvider(), 'in plain bytes': plaintextProvider };
const PAGE = { ...EVERY_LANE, after: null, limit: 10 };
const DAMAGED = { code: 'damaged', message: expect.stringContaining('restore the newest backup') };

/** Writes a store, changes it behind its back, and opens it again. */
async function afterTampering(
  folder: string,
  tamper: (file: string) => void,
  provider = PROVIDERS.sealed,
): Promise<[FactStore, SqliteDatabase]> {
  const before = openDatabase(folder);
  const store = await storeOn(before, provider);
  for (let count = 0; count < 3; count += 1) {
    const blob = { mediaType: 'audio/wav', bytes: new Uint8Array(20_000).fill(count) };
    await write(store, HURT, { blob, attestation: '{}' });
    await write(store, SOUND);
    await write(store, ELSEWHERE);
    await store.record(attempt(START), null);
  }
  expect(await faultsIn(store)).toEqual([]);
  before.close();
  tamper(join(folder, 'unsay.db'));
  const db = openDatabase(folder);
  return [await storeOn(db, provider), db];
}

function byStatement(statement: string): (file: string) => void {
  return (file) => {
    const connection = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    connection.exec(`PRAGMA ignore_check_constraints = ON; ${statement}`);
    connection.close();
  };
}

const IN_CLEAR = [
  `UPDATE versions SET kind = 'retract' WHERE ${SECOND}`,
  `UPDATE versions SET kind = 'withdraw' WHERE ${SECOND}`,
  `UPDATE versions SET written_at = '' WHERE ${SECOND}`,
  `UPDATE versions SET stale_after = 'never' WHERE ${SECOND}`,
  `UPDATE versions SET lane_ordinal = 4611686018427387904 WHERE ${SECOND}`,
  `UPDATE versions SET audience = 'assistant' WHERE ${SECOND}`,
  `UPDATE versions SET subject = 'eve', lane_ordinal = 99, version = 9 WHERE ${SECOND}`,
  `UPDATE versions SET prev_hash = NULL WHERE ${SECOND}`,
  `UPDATE versions SET version_hash = 'none' WHERE ${SECOND}`,
  `UPDATE versions SET version = 4611686018427387904 WHERE ${SECOND}`,
  `UPDATE versions SET version = 9, topic_index = (SELECT topic_index FROM versions WHERE position = 2) WHERE ${SECOND}`,
  `UPDATE versions SET topic_index = x'00' WHERE ${SECOND}`,
  `UPDATE versions SET ciphertext = substr(ciphertext, 2) WHERE ${SECOND}`,
  `UPDATE versions SET ciphertext = x'' WHERE ${SECOND}`,
  `UPDATE versions SET key_id = '' WHERE ${SECOND}`,
  `DELETE FROM versions WHERE ${SECOND}`,
];
const SEALED_ONLY = [
  ...['nonce', 'tag', 'commitment'].flatMap((column) => [
    `UPDATE versions SET ${column} = x'' WHERE ${SECOND}`,
    `UPDATE versions SET ${column} = zeroblob(length(${column})) WHERE ${SECOND}`,
    `UPDATE versions SET ${column} = CAST(${column} || x'00' AS BLOB) WHERE ${SECOND}`,
    `UPDATE versions SET ${column} = (SELECT ${column} FROM versions WHERE position = 1) WHERE ${SECOND}`,
  ]),
];

async function expectBrokenAtSecond(store: FactStore): Promise<void> {
  const { head, versions, seals } = await store.chain(HURT);
  expect(replayChain(versions, head)).toEqual({ intact: false, brokenAt: 2 });
  expect(seals).toHaveLength(versions.length);
  expect((await store.version(HURT, 1))?.version).toBe(1);
  expect((await store.version(SOUND, null))?.version).toBe(3);
  expect((await store.version(ELSEWHERE, null))?.version).toBe(3);
  expect((await store.names(PAGE)).map(({ uri }) => uri)).toEqual([
    'fact://eve/walking',
    'fact://ray/stairs',
    'fact://ray/walking',
  ]);
  expect(await store.list(PAGE)).toHaveLength(3);
  expect(await store.journal(BEGINNING, 10)).toHaveLength(9);
}

const EVERY_CASE = [
  ...IN_CLEAR.flatMap((statement) => Object.keys(PROVIDERS).map((kind) => [kind, statement] as const)),
  ...SEALED_ONLY.map((statement) => ['sealed', statement] as const),
];

it.each(EVERY_CASE)(
  'finds the chain of a store %s broken at version 2 and reads every other fact: %s',
  async (kind, statement) => {
    using folder = temporaryFolder();
    const provider = PROVIDERS[kind as keyof typeof PROVIDERS];
    const [store, db] = await afterTampering(folder.path, byStatement(statement), provider);
    await expectBrokenAtSecond(store);
    db.close();
  },
);

it.each([...IN_CLEAR, ...SEALED_ONLY])(
  'serves nothing of a sealed version that was changed: %s',
  async (statement) => {
    using folder = temporaryFolder();
    const [store, db] = await afterTampering(folder.path, byStatement(statement));
    const read = await store.version(HURT, 2).catch((error: unknown) => error);
    if (read !== null) expect(read).toMatchObject(DAMAGED);
    else expect(statement).toMatch(/DELETE|subject|topic_index|SET version =/);
    db.close();
  },
);

// The fields of a version's content, by their place.
const FIELDS = { uri: 0, topic: 1, value: 2, authorId: 3, label: 4, attestation: 5, mediaType: 6, blob: 7 };

it.each<[string, number, Field]>([
  ['other words', FIELDS.value, 'other words'],
  ['bytes that are no text', FIELDS.value, Uint8Array.of(0xff, 0xfe, 0)],
  ['no words', FIELDS.value, null],
  ['another author', FIELDS.authorId, 'another'],
  ['no label', FIELDS.label, ''],
  ['no attestation', FIELDS.attestation, null],
  ['another topic', FIELDS.topic, 'stairs'],
  ['another name', FIELDS.uri, 'fact://ray/stairs'],
  ['no media type', FIELDS.mediaType, null],
  ['a shorter clip', FIELDS.blob, new Uint8Array(19_999)],
  ['no salt of the name', 8, ''],
  ['no salt of the words', 9, null],
  ['a short salt of the words', 9, Uint8Array.of(0)],
])('finds the chain of a store in plain bytes broken by %s', async (_what, place, value) => {
  using folder = temporaryFolder();
  const tamper = (file: string): void => {
    const connection = new DatabaseSync(file);
    const row = connection.prepare(`SELECT ciphertext FROM versions WHERE ${SECOND}`).get();
    const fields: Field[] = decodeFields(row?.ciphertext as Uint8Array, 14) ?? [];
    fields[place] = value;
    connection
      .prepare(`UPDATE versions SET ciphertext = ? WHERE ${SECOND}`)
      .run(Buffer.from(encodeFields(fields)));
    connection.close();
  };
  const [store, db] = await afterTampering(folder.path, tamper, plaintextProvider);
  await expectBrokenAtSecond(store);
  db.close();
});

describe.each([
  ['changed', `UPDATE versions SET ciphertext = substr(ciphertext, 2) WHERE ${HEAD}`],
  ['cut off', `DELETE FROM versions WHERE ${HEAD}`],
])('a head that was %s', (_what, statement) => {
  it('is an error for whoever reads it, never an older version, and its chain is broken there', async () => {
    using folder = temporaryFolder();
    const [store, db] = await afterTampering(folder.path, byStatement(statement));
    const { head, versions } = await store.chain(HURT);
    expect(replayChain(versions, head)).toEqual({ intact: false, brokenAt: 3 });
    await expect(store.version(HURT, null)).rejects.toMatchObject(DAMAGED);
    await expect(store.heads(HURT, sampleLane(HURT))).rejects.toMatchObject(DAMAGED);
    await expect(store.list(PAGE)).rejects.toMatchObject(DAMAGED);
    expect(await store.list({ ...PAGE, subjects: new Set(['eve']) })).toHaveLength(1);
    expect(await store.names(PAGE)).toHaveLength(3);
    expect((await store.version(HURT, 2))?.version).toBe(2);
    await write(store, SOUND);
    expect((await store.version(SOUND, null))?.version).toBe(4);
    db.close();
  });
});

it('gives no correction of a lane in which one does not open, since it would never be asked for again', async () => {
  using folder = temporaryFolder();
  const change = `UPDATE versions SET ciphertext = substr(ciphertext, 2) WHERE ${SECOND}`;
  const [store, db] = await afterTampering(folder.path, byStatement(change));
  const query = { afterOrdinal: 0, since: null, limit: 10 };
  await expect(store.corrections({ ...query, lane: sampleLane(HURT) })).rejects.toMatchObject(DAMAGED);
  expect(await store.corrections({ ...query, lane: sampleLane(ELSEWHERE) })).toHaveLength(2);
  db.close();
});

it('finds a head that was set back', async () => {
  using folder = temporaryFolder();
  const back = `UPDATE facts SET head_version = 2, head_hash = (SELECT version_hash FROM versions WHERE ${SECOND})
    WHERE ${ROW_OF_HURT} AND subject = 'ray'`;
  const [store, db] = await afterTampering(folder.path, byStatement(back));
  const { head, versions } = await store.chain(HURT);
  expect(replayChain(versions, head).intact).toBe(false);
  db.close();
});

it('finds a name again in the versions, and lists nothing of a subject one of whose names is lost', async () => {
  using folder = temporaryFolder();
  const name = `UPDATE facts SET ciphertext = x'' WHERE ${ROW_OF_HURT}`;
  const [store, db] = await afterTampering(folder.path, byStatement(name));
  expect((await store.names(PAGE)).map(({ uri }) => uri)).toContain('fact://ray/walking');
  expect((await store.list(PAGE)).map(({ version }) => version)).toEqual([3, 3, 3]);
  db.close();

  byStatement(`UPDATE versions SET tag = x'' WHERE ${ROW_OF_HURT}`)(join(folder.path, 'unsay.db'));
  const again = openDatabase(folder.path);
  const lost = await storeOn(again);
  await expect(lost.names(PAGE)).rejects.toMatchObject(DAMAGED);
  await expect(lost.list(PAGE)).rejects.toMatchObject(DAMAGED);
  expect((await lost.version(SOUND, null))?.version).toBe(3);
  expect((await lost.journal(BEGINNING, 10)).filter(({ uri }) => uri === null)).toHaveLength(3);
  again.close();
});

it.each([
  "UPDATE data_keys SET wrapped = substr(wrapped, 2) WHERE subject = 'ray'",
  "UPDATE data_keys SET commitment = zeroblob(32) WHERE subject = 'ray'",
  "UPDATE data_keys SET wrapped = (SELECT wrapped FROM data_keys WHERE subject = 'eve') WHERE subject = 'ray'",
  "UPDATE data_keys SET wrapping_key_id = 'another' WHERE subject = 'ray'",
  "UPDATE data_keys SET provider = 'none' WHERE subject = 'ray'",
  "UPDATE data_keys SET id = 'another' WHERE subject = 'ray'",
  "DELETE FROM data_keys WHERE subject = 'ray'",
])('answers nothing of a subject whose key was changed, and makes it no new one: %s', async (statement) => {
  using folder = temporaryFolder();
  const [store, db] = await afterTampering(folder.path, byStatement(statement));
  const before = db.prepare('SELECT * FROM data_keys').all();
  for (const read of [
    store.version(HURT, null),
    store.audienceOf(HURT),
    store.chain(HURT),
    store.list(PAGE),
    write(store, HURT),
    write(store, sampleFact('assistant', 'ray', 'new')),
  ]) {
    await expect(read).rejects.toMatchObject(DAMAGED);
  }
  expect(db.prepare('SELECT * FROM data_keys').all()).toEqual(before);
  await write(store, ELSEWHERE);
  db.close();
});

it.each([
  "DELETE FROM data_keys WHERE subject = ''",
  "DELETE FROM meta WHERE key = 'store_id'",
  "UPDATE meta SET value = CAST('another' AS BLOB) WHERE key = 'store_id'",
  "UPDATE data_keys SET wrapped = x'' WHERE subject = ''",
  "UPDATE data_keys SET commitment = x'' WHERE subject = ''",
])('does not open a store whose own key was changed: %s', async (statement) => {
  using folder = temporaryFolder();
  await expect(afterTampering(folder.path, byStatement(statement))).rejects.toMatchObject(DAMAGED);
});

it.each([
  'UPDATE audit SET ciphertext = substr(ciphertext, 2) WHERE row_index = 4',
  'UPDATE audit SET tag = zeroblob(16) WHERE row_index = 4',
  'UPDATE audit SET (key_id, nonce, tag, commitment, ciphertext) = (SELECT key_id, nonce, tag, commitment, ciphertext FROM audit WHERE row_index = 5) WHERE row_index = 4',
  'DELETE FROM audit WHERE row_index = 4',
])('finds the audit log broken at row 4: %s', async (statement) => {
  using folder = temporaryFolder();
  const [store, db] = await afterTampering(folder.path, byStatement(statement));
  const { rows } = await store.audit(0, 100);
  expect(replayAudit(rows)).toBe(4);
  expect((await store.version(HURT, null))?.version).toBe(3);
  db.close();
});

it('writes nothing after an audit row that does not open: the log would seem to begin there', async () => {
  using folder = temporaryFolder();
  const last = 'UPDATE audit SET tag = zeroblob(16) WHERE row_index = 11';
  const [store, db] = await afterTampering(folder.path, byStatement(last));
  await expect(write(store, HURT)).rejects.toMatchObject(DAMAGED);
  await expect(store.record(attempt(START), nonceOf('a', START))).rejects.toMatchObject(DAMAGED);
  expect(await store.journalHead()).toBe(9);
  db.close();
});

it('says that a store with overwritten pages is damaged, and what to do', async () => {
  using folder = temporaryFolder();
  const [store, db] = await afterTampering(folder.path, (file) => {
    const pageSize = 4096;
    const database = new DatabaseSync(file);
    const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'journal'").get();
    database.close();
    const descriptor = openSync(file, 'r+');
    writeSync(
      descriptor,
      new Uint8Array(pageSize).fill(0xff),
      0,
      pageSize,
      (Number(root?.rootpage) - 1) * pageSize,
    );
    closeSync(descriptor);
  });
  const refusal = await store.journal(BEGINNING, 10).then(
    () => null,
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(StorageError);
  expect(refusal).toMatchObject(DAMAGED);
  db.close();
});
