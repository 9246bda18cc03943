import { expect, it } from 'vitest';
import { startChild } from '../../testing/child-process.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { StorageError, type StorageErrorCode } from '../storage-error.ts';
import { openDatabase } from './open-database.ts';

const OWNER = './owning-process.ts';

function codeOf(folder: string): StorageErrorCode | 'open' {
  try {
    openDatabase(folder).close();
    return 'open';
  } catch (error) {
    if (error instanceof StorageError) return error.code;
    throw error;
  }
}

it('refuses a second process while the first lives, and opens after it was killed', async () => {
  using folder = temporaryFolder();
  await using owner = startChild(OWNER, folder.path);
  expect(await owner.line()).toBe('open');
  await using second = startChild(OWNER, folder.path);
  expect(await second.line()).toBe('in_use');
  expect(codeOf(folder.path)).toBe('in_use');
  await owner.kill();
  expect(codeOf(folder.path)).toBe('open');
});

it('refuses other processes while it is open here, before and after a failed attempt, and not after close', async () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  expect(codeOf(folder.path)).toBe('in_use');
  await using second = startChild(OWNER, folder.path);
  expect(await second.line()).toBe('in_use');
  db.write(() => db.prepare("INSERT INTO meta (key, value) VALUES ('a', x'00')").run());
  await using third = startChild(OWNER, folder.path);
  expect(await third.line()).toBe('in_use');
  db.close();
  await using fourth = startChild(OWNER, folder.path);
  expect(await fourth.line()).toBe('open');
});

it('lets one of several processes that start at once on an empty folder have it', async () => {
  using folder = temporaryFolder();
  await using first = startChild(OWNER, folder.path);
  await using second = startChild(OWNER, folder.path);
  await using third = startChild(OWNER, folder.path);
  const said = await Promise.all([first, second, third].map((child) => child.line()));
  expect(said.sort()).toEqual(['in_use', 'in_use', 'open']);
});

it('opens again in the same process, and a second close does nothing', () => {
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  db.close();
  db.close();
  expect(codeOf(folder.path)).toBe('open');
});
