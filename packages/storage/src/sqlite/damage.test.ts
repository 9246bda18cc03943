import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BEGINNING, type FactStore, replayAudit, replayChain } from '@unsay/live-resources';
import {
  attempt,
  EVERY_LANE,
  faultsIn,
  START,
  sampleFact,
  sampleLane,
  write,
} from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { StorageError } from '../storage-error.ts';
import type { SqliteDatabase } from './database.ts';
import { createSqliteFactStore } from './fact-store.ts';
import { openDatabase } from './open-database.ts';

const HURT = sampleFact('user', 'ray', 'walking');
const SOUND = sampleFact('user', 'ray', 'stairs');
const SECOND = "uri = 'fact://ray/walking' AND version = 2";

/** Writes a store, changes it behind its back, and opens it again. */
async function afterTampering(
  folder: string,
  tamper: (file: string) => void,
): Promise<[FactStore, SqliteDatabase]> {
  const before = openDatabase(folder);
  const store = createSqliteFactStore(before);
  for (let count = 0; count < 3; count += 1) {
    const blob = { mediaType: 'audio/wav', bytes: new Uint8Array(20_000).fill(count) };
    await write(store, HURT, { blob, attestation: '{}' });
    await write(store, SOUND);
    await store.record(attempt(START), null);
  }
  expect(await faultsIn(store)).toEqual([]);
  before.close();
  tamper(join(folder, 'unsay.db'));
  const db = openDatabase(folder);
  return [createSqliteFactStore(db), db];
}

function byStatement(statement: string): (file: string) => void {
  return (file) => {
    const connection = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    connection.exec(`PRAGMA ignore_check_constraints = ON; ${statement}`);
    connection.close();
  };
}

it.each([
  `UPDATE versions SET kind = 'retract' WHERE ${SECOND}`,
  `UPDATE versions SET kind = 'withdraw' WHERE ${SECOND}`,
  `UPDATE versions SET value = CAST('other words' AS BLOB) WHERE ${SECOND}`,
  `UPDATE versions SET value = x'fffe00' WHERE ${SECOND}`,
  `UPDATE versions SET value = NULL WHERE ${SECOND}`,
  `UPDATE versions SET value_salt = NULL WHERE ${SECOND}`,
  `UPDATE versions SET value_salt = x'00' WHERE ${SECOND}`,
  `UPDATE versions SET uri_salt = x'' WHERE ${SECOND}`,
  `UPDATE versions SET author_id = CAST('another' AS BLOB) WHERE ${SECOND}`,
  `UPDATE versions SET author_label = x'' WHERE ${SECOND}`,
  `UPDATE versions SET attestation = NULL WHERE ${SECOND}`,
  `UPDATE versions SET blob_media_type = NULL WHERE ${SECOND}`,
  `UPDATE versions SET blob_bytes = NULL WHERE ${SECOND}`,
  `UPDATE versions SET blob_bytes = substr(blob_bytes, 2) WHERE ${SECOND}`,
  `UPDATE versions SET written_at = '' WHERE ${SECOND}`,
  `UPDATE versions SET stale_after = 'never' WHERE ${SECOND}`,
  `UPDATE versions SET lane_ordinal = 4611686018427387904 WHERE ${SECOND}`,
  `UPDATE versions SET audience = 'assistant' WHERE ${SECOND}`,
  `UPDATE versions SET subject = 'eve' WHERE ${SECOND}`,
  `UPDATE versions SET topic = 'stairs' WHERE ${SECOND}`,
  `UPDATE versions SET prev_hash = NULL WHERE ${SECOND}`,
  `UPDATE versions SET version_hash = 'none' WHERE ${SECOND}`,
  `UPDATE versions SET version = 4611686018427387904 WHERE ${SECOND}`,
  `UPDATE versions SET uri = 'fact://ray/stairs', version = 9 WHERE ${SECOND}`,
  `DELETE FROM versions WHERE ${SECOND}`,
])('finds the chain broken at version 2 and reads every other fact: %s', async (statement) => {
  using folder = temporaryFolder();
  const [store, db] = await afterTampering(folder.path, byStatement(statement));
  const { head, versions } = await store.chain(HURT);
  expect(replayChain(versions, head)).toEqual({ intact: false, brokenAt: 2 });
  expect((await store.version(HURT, 1))?.version).toBe(1);
  expect((await store.version(SOUND, null))?.version).toBe(3);
  const listed = await store.list({ ...EVERY_LANE, after: null, limit: 10 });
  expect(listed.map(({ uri }) => uri)).toEqual(['fact://ray/stairs', 'fact://ray/walking']);
  await store.corrections({ lane: sampleLane(HURT), afterOrdinal: 0, since: null, limit: 10 });
  expect(await store.journal(BEGINNING, 10)).toHaveLength(6);
  db.close();
});

it('finds a tail that was cut off, and answers absent instead of an older version', async () => {
  using folder = temporaryFolder();
  const cut = byStatement("DELETE FROM versions WHERE uri = 'fact://ray/walking' AND version = 3");
  const [store, db] = await afterTampering(folder.path, cut);
  const { head, versions } = await store.chain(HURT);
  expect(replayChain(versions, head)).toEqual({ intact: false, brokenAt: 3 });
  expect(await store.version(HURT, null)).toBeNull();
  expect(await store.list({ ...EVERY_LANE, after: null, limit: 10 })).toHaveLength(2);
  db.close();
});

it('finds a head that was set back', async () => {
  using folder = temporaryFolder();
  const back = `UPDATE facts SET head_version = 2, head_hash = (SELECT version_hash FROM versions WHERE ${SECOND})
    WHERE uri = 'fact://ray/walking'`;
  const [store, db] = await afterTampering(folder.path, byStatement(back));
  const { head, versions } = await store.chain(HURT);
  expect(replayChain(versions, head).intact).toBe(false);
  db.close();
});

it.each([
  "UPDATE audit SET actor = CAST('another' AS BLOB) WHERE row_index = 4",
  'UPDATE audit SET attempts = 4611686018427387904 WHERE row_index = 4',
  "UPDATE audit SET outcome = 'accepted', reason = NULL WHERE row_index = 5",
  "UPDATE audit SET reason = 'Free text' WHERE row_index = 5",
  'DELETE FROM audit WHERE row_index = 4',
])('finds the audit log broken: %s', async (statement) => {
  using folder = temporaryFolder();
  const [store, db] = await afterTampering(folder.path, byStatement(statement));
  const { rows } = await store.audit(0, 100);
  expect(replayAudit(rows)).not.toBeNull();
  expect((await store.version(HURT, null))?.version).toBe(3);
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
  expect(refusal).toMatchObject({
    code: 'damaged',
    message: expect.stringContaining('restore the newest backup'),
  });
  db.close();
});
