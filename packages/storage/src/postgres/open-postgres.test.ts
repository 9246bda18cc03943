import { faultsIn, sampleFact, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { openUrl, postgresStoreOn, temporarySchema } from '../../testing/open-postgres-store.ts';
import { MIGRATIONS, migrate, pendingMigrations } from './migrate.ts';

const FACT = sampleFact('user', 'ray', 'walking');

it('is made once by two processes that open an empty database at once, and both write to it', async () => {
  const schema = await temporarySchema();
  await schema.execute('DROP SCHEMA IF EXISTS fresh CASCADE; CREATE SCHEMA fresh');
  const url = schema.url.replace(/search_path%3D\w+/, 'search_path%3Dfresh');
  const databases = await Promise.all([openUrl(url), openUrl(url), openUrl(url)]);
  const stores = await Promise.all(databases.map((db) => postgresStoreOn(db)));
  for (const store of stores) await write(store, FACT);
  for (const store of stores) {
    expect((await store.version(FACT, null))?.version).toBe(3);
    expect(await faultsIn(store)).toEqual([]);
  }
  for (const db of databases) await db.close();
  await schema.close();
});

it('says what is missing without changing anything, and is refused where it must not be migrated', async () => {
  const schema = await temporarySchema();
  await schema.execute('DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare');
  const url = schema.url.replace(/search_path%3D\w+/, 'search_path%3Dbare');
  await expect(openUrl(url, false)).rejects.toMatchObject({
    code: 'older_store',
    message: expect.stringContaining(
      `lacks the migrations ${MIGRATIONS.map(({ name }) => name).join(', ')}.`,
    ),
  });
  expect(await schema.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'bare'")).toEqual([]);
  const db = await openUrl(url);
  const more = [...MIGRATIONS, { name: 'more', sql: 'CREATE TABLE more (one integer)' }];
  expect(await pendingMigrations(db)).toEqual([]);
  expect(await pendingMigrations(db, more)).toEqual(['more']);
  const broken = [...more, { name: 'broken', sql: 'CREATE TABLE most (one integer); SELECT 1 / 0' }];
  await expect(migrate(db, 0, broken)).rejects.toThrow('division by zero');
  expect(await pendingMigrations(db, more)).toEqual(['more']);
  await migrate(db, 0, more);
  expect(await pendingMigrations(db, more)).toEqual([]);
  await db.close();
  await expect(openUrl(url)).rejects.toMatchObject({
    code: 'newer_store',
    message: expect.stringMatching(
      new RegExp(
        `version is ${more.length}, this program knows ${MIGRATIONS.length}\\).* name another database\\.$`,
      ),
    ),
  });
  await schema.close();
});

it('refuses a database that holds the tables of something else, and leaves them alone', async () => {
  const schema = await temporarySchema();
  await schema.execute(
    'DROP SCHEMA IF EXISTS taken CASCADE; CREATE SCHEMA taken; CREATE TABLE taken.accounts (one integer)',
  );
  const url = schema.url.replace(/search_path%3D\w+/, 'search_path%3Dtaken');
  await expect(openUrl(url)).rejects.toMatchObject({
    code: 'not_a_store',
    message: expect.stringMatching(/^The database 127\.0\.0\.1:\d+\/postgres holds tables of something else/),
  });
  expect(await schema.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'taken'")).toEqual([
    { tablename: 'accounts' },
  ]);
  await schema.close();
});
