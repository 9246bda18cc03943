import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../storage-error.ts';
import { firstMigration } from './migrations/0001-first.ts';
import { ledgerMigration } from './migrations/0002-ledger.ts';
import { sessionsMigration } from './migrations/0003-sessions.ts';
import { signInMigration } from './migrations/0004-sign-in.ts';
import { refusal } from './sqlite-errors.ts';

/** The statements that bring a store to the version of their place in the list, 1 for the first. */
export type Migration = string;

/** Every migration there ever was, in order. One that was released is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  firstMigration,
  ledgerMigration,
  sessionsMigration,
  signInMigration,
];

// 'unsy' in ASCII: the mark in the file header (offset 68) by which a store is told from other databases.
const APPLICATION_ID = 0x756e7379;

/**
 * The version of the store, 0 for an empty file.
 *
 * @throws StorageError `not_a_store` or `newer_store`; the file was not touched.
 */
export function identify(connection: DatabaseSync, file: string, newest = MIGRATIONS.length): number {
  const application = pragma(connection, 'application_id');
  const version = pragma(connection, 'user_version');
  if (application === 0 && version === 0 && isEmpty(connection)) return 0;
  if (application !== APPLICATION_ID || version < 1) throw refusal('not_a_store', file);
  if (version <= newest) return version;
  throw new StorageError(
    'newer_store',
    `The store ${file} was written by a newer release (its version is ${version}, this program knows ${newest}). ` +
      'Start that release or a later one, or choose another data folder.',
  );
}

/** Runs the migrations after `version`, each in a transaction of its own with the version it leads to. */
export function migrate(connection: DatabaseSync, version: number, migrations = MIGRATIONS): void {
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    connection.exec('BEGIN IMMEDIATE');
    try {
      connection.exec(statements);
      connection.exec(
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${index + 1}; COMMIT`,
      );
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
}

function pragma(connection: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function isEmpty(connection: DatabaseSync): boolean {
  return connection.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}
