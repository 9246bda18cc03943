import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createSqliteMeta } from './meta.ts';
import { openDatabase } from './open-database.ts';

it('keeps the newest value of each key, to the letter, through close and open', () => {
  using folder = temporaryFolder();
  const before = openDatabase(folder.path);
  const meta = createSqliteMeta(before);
  expect(meta.get('public subjects')).toBeNull();
  meta.set('public subjects', '["eve"]');
  meta.set('public subjects', '["ray"]');
  meta.set('odd', 'a\u0000\ufeff😀\r\n');
  meta.set('empty', '');
  before.close();
  const db = openDatabase(folder.path);
  const again = createSqliteMeta(db);
  expect(['public subjects', 'odd', 'empty', 'absent'].map((key) => again.get(key))).toEqual([
    '["ray"]',
    'a\u0000\ufeff😀\r\n',
    '',
    null,
  ]);
  db.close();
});
