import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { identify, migrate } from './migrate.ts';

const FIRST = 'CREATE TABLE a (x); INSERT INTO a VALUES (1)';
const SECOND = 'ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x';

function memory(): DatabaseSync {
  return new DatabaseSync(':memory:');
}

it('brings an empty store and an older store to the newest version', () => {
  const connection = memory();
  expect(identify(connection, 'f', 2)).toBe(0);
  migrate(connection, 0, [FIRST]);
  expect(identify(connection, 'f', 2)).toBe(1);
  migrate(connection, 1, [FIRST, SECOND]);
  expect(identify(connection, 'f', 2)).toBe(2);
  expect({ ...connection.prepare('SELECT * FROM a').get() }).toEqual({ x: 1, y: 1 });
});

it('leaves the store at the version before a migration that fails, with nothing of it', () => {
  const connection = memory();
  expect(() => migrate(connection, 0, [FIRST, `${SECOND}; INSERT INTO nowhere VALUES (1)`])).toThrow(
    'nowhere',
  );
  expect(connection.isTransaction).toBe(false);
  expect(identify(connection, 'f', 2)).toBe(1);
  expect({ ...connection.prepare('SELECT * FROM a').get() }).toEqual({ x: 1 });
});
