import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from './migrations.ts';
import { openSqliteDatabase, type SqliteDatabase } from './sqlite-database.ts';

let folder = '';
let database: SqliteDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'press-sqlite-'));
  database = openSqliteDatabase(join(folder, 'press.db'));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a batch', () => {
  it('happens whole, and may use what it made itself', async () => {
    const outcomes = await database.batch([
      database.prepare('CREATE TABLE t (x INTEGER PRIMARY KEY)'),
      database.prepare('INSERT INTO t VALUES (?), (?)').bind(1, 2),
    ]);
    expect(outcomes[1]).toEqual({ meta: { changes: 2 } });
    expect(await database.prepare('SELECT x FROM t ORDER BY x').all()).toEqual({
      results: [{ x: 1 }, { x: 2 }],
    });
    expect(await database.prepare('SELECT x FROM t WHERE x = ?').bind(9).first()).toBeNull();
  });

  it('happens not at all when one of it fails, and the next one does', async () => {
    await database.prepare('CREATE TABLE t (x INTEGER PRIMARY KEY)').run();
    const insert = database.prepare('INSERT INTO t VALUES (?)');
    await expect(database.batch([insert.bind(1), insert.bind(1)])).rejects.toThrow('UNIQUE');
    expect(await database.prepare('SELECT * FROM t').first()).toBeNull();
    await database.batch([insert.bind(1)]);
    expect(await database.prepare('SELECT count(*) AS n FROM t').first()).toEqual({ n: 1 });
  });
});

describe('the schema', () => {
  it('is brought up to date once, by however many that start at once', async () => {
    const second = openSqliteDatabase(join(folder, 'press.db'));
    await Promise.all([migrate(database), migrate(second)]);
    await migrate(database);
    second.close();
    expect(await database.prepare('SELECT name FROM heads ORDER BY name').all()).toEqual({
      results: [{ name: 'database' }, { name: 'index' }],
    });
  });

  it('of a later release is refused', async () => {
    await migrate(database);
    await database.prepare('INSERT INTO schema_version VALUES (99)').run();
    await expect(migrate(database)).rejects.toThrow('later release');
  });
});
