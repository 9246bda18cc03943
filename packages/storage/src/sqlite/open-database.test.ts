import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { StorageError } from '../storage-error.ts';
import { createSqliteMeta } from './meta.ts';
import { openDatabase } from './open-database.ts';

const FILE = 'unsay.db';

function refusalOf(folder: string): StorageError {
  try {
    openDatabase(folder).close();
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
  throw new Error('the store opened');
}

it('makes folders that only their owner may enter and files that only their owner may read', () => {
  using parent = temporaryFolder();
  const folder = join(parent.path, 'deep', 'data');
  const db = openDatabase(folder);
  createSqliteMeta(db).set('seeded', 'demo');
  const mode = (...path: string[]): string => (statSync(join(parent.path, ...path)).mode & 0o777).toString(8);
  expect([mode('deep'), mode('deep', 'data')]).toEqual(['700', '700']);
  expect([mode('deep', 'data', FILE), mode('deep', 'data', `${FILE}-wal`)]).toEqual(['600', '600']);
  db.close();
});

it('leaves the modes of what exists as they are', () => {
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o750);
  openDatabase(folder.path).close();
  expect(statSync(folder.path).mode & 0o777).toBe(0o750);
});

it('writes a change to the disk before it answers', () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  const setting = (name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  expect(setting('journal_mode')).toBe('wal');
  expect(setting('synchronous')).toBe(2n);
  expect(setting('fullfsync')).toBe(1n);
  expect(setting('locking_mode')).toBe('exclusive');
  expect(setting('foreign_keys')).toBe(1n);
  expect(setting('trusted_schema')).toBe(0n);
  db.close();
});

it('keeps everything in one file once it is closed', () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  createSqliteMeta(db).set('seeded', 'demo');
  db.close();
  expect(() => statSync(join(folder.path, `${FILE}-wal`))).toThrow('ENOENT');
  const copy = new DatabaseSync(join(folder.path, FILE), { readOnly: true });
  expect(
    copy.prepare("SELECT CAST(value AS TEXT) AS value FROM meta WHERE key = 'seeded'").get()?.value,
  ).toBe('demo');
  copy.close();
});

it('keeps a store in memory for as long as it is open', () => {
  const db = openDatabase(':memory:');
  const meta = createSqliteMeta(db);
  meta.set('seeded', 'demo');
  expect(meta.get('seeded')).toBe('demo');
  db.close();
});

it('refuses a store of a newer release, and does not touch it', () => {
  using folder = temporaryFolder();
  openDatabase(folder.path).close();
  alter(folder.path, 'PRAGMA user_version = 999');
  const before = readFileSync(join(folder.path, FILE));
  const refusal = refusalOf(folder.path);
  expect(refusal.code).toBe('newer_store');
  expect(refusal.message).toContain('newer release');
  expect(refusal.message).toContain(folder.path);
  expect(readFileSync(join(folder.path, FILE)).equals(before)).toBe(true);
});

it.each([
  [
    'a text',
    (file: string) => writeFileSync(file, 'this is not a database, however long it may be. '.repeat(100)),
  ],
  ['a short text', (file: string) => writeFileSync(file, 'not a database')],
  [
    'the database of another program',
    (file: string) => sql(file, 'CREATE TABLE t (a); PRAGMA user_version = 1'),
  ],
  ['a database with no version', (file: string) => sql(file, 'CREATE TABLE t (a)')],
  [
    'a database with another mark',
    (file: string) => sql(file, 'PRAGMA application_id = 7; PRAGMA user_version = 1'),
  ],
])('refuses %s, and does not touch it', (_what, make) => {
  using folder = temporaryFolder();
  const file = join(folder.path, FILE);
  make(file);
  const before = readFileSync(file);
  const refusal = refusalOf(folder.path);
  expect(refusal.code).toBe('not_a_store');
  expect(refusal.message).toContain(file);
  expect(readFileSync(file).equals(before)).toBe(true);
});

it.each([
  ['a folder below a file', 'file', 'file/data'],
  ['a file in the place of the folder', 'data', 'data'],
])('refuses %s as unwritable', (_what, file, data) => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, file), '');
  expectUnwritable(join(folder.path, data));
});

it('refuses a folder in the place of the file, and a device in the place of the folder, as unwritable', () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, FILE));
  expectUnwritable(folder.path);
  expectUnwritable('/dev/null');
});

function expectUnwritable(folder: string): void {
  const refusal = refusalOf(folder);
  expect(refusal.code).toBe('unwritable');
  expect(refusal.message).toContain(folder);
  expect(refusal.message).toContain('choose another data folder');
}

it('takes an empty file for a store that was never finished', () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, FILE), '');
  const db = openDatabase(folder.path);
  expect(createSqliteMeta(db).get('seeded')).toBeNull();
  db.close();
});

function alter(folder: string, statements: string): void {
  sql(join(folder, FILE), statements);
}

function sql(file: string, statements: string): void {
  const connection = new DatabaseSync(file);
  connection.exec(statements);
  connection.close();
}
