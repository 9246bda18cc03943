import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, faultsIn, START, sampleFact, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { storeOn } from '../../testing/open-sqlite-store.ts';
import {
  heldOf,
  liveOn,
  PUBLICATIONS,
  publishOn,
  type SamplePublication,
} from '../../testing/publications.ts';
import { type TemporaryFolder, temporaryFolder } from '../../testing/temporary-folder.ts';
import type { SqliteDatabase } from './database.ts';
import { openDatabase } from './open-database.ts';

// A disk writes sectors, in any order until it was told to flush: what a power cut leaves is any mixture of the
// bytes before and the bytes after, sector by sector.
const SECTOR = 512;

/** The files of a store at a moment, as a power cut would find them. */
interface Image {
  readonly main: Buffer;
  readonly wal: Buffer;
}

/** A store with a chain and a count of refusals that is due, open, and how to look at its files. */
async function scene(): Promise<{ folder: TemporaryFolder; db: SqliteDatabase; image: () => Image }> {
  const folder = temporaryFolder();
  const db = openDatabase(folder.path);
  const store = await storeOn(db);
  for (let count = 0; count < 3; count += 1) await write(store, sampleFact('user', 'ray', 'walking'));
  await store.countRefusal(attempt(START));
  const read = (name: string): Buffer => readFileSync(join(folder.path, name));
  return { folder, db, image: () => ({ main: read('unsay.db'), wal: read('unsay.db-wal') }) };
}

/**
 * Every mixture of two files that one tear makes: the first sectors are new and the rest is old, or all is new
 * but one sector. Mixtures that are the new file are left out.
 */
function torn(before: Buffer, after: Buffer): Buffer[] {
  const length = Math.max(before.length, after.length);
  const old = Buffer.concat([before, Buffer.alloc(length - before.length)]);
  const images: Buffer[] = [];
  for (let at = 0; at < after.length; at += SECTOR) {
    if (after.subarray(at, at + SECTOR).equals(old.subarray(at, at + SECTOR))) continue;
    const grown = Math.max(before.length, at);
    images.push(Buffer.concat([after.subarray(0, at), old.subarray(at)]).subarray(0, grown));
    const hole = Buffer.from(after);
    old.copy(hole, at, at, Math.min(at + SECTOR, hole.length));
    images.push(hole);
  }
  return images.filter((image) => !image.equals(after));
}

/** Opens a store from an image, and says what it holds of a publication. Everything else must be whole. */
async function heldIn({ main, wal }: Image, sample: SamplePublication): Promise<string> {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'unsay.db'), main);
  writeFileSync(join(folder.path, 'unsay.db-wal'), wal);
  const db = openDatabase(folder.path);
  try {
    const store = await storeOn(db);
    const faults = await faultsIn(store);
    const versions = Number(await store.journalHead());
    return [await heldOf(store, sample), versions, ...faults].join(', ');
  } finally {
    db.close();
  }
}

const [first, revision] = PUBLICATIONS;
if (first === undefined || revision === undefined) throw new Error('there are sample publications');

it.each([
  ['after what was logged before', false],
  ['over what was logged before a checkpoint', true],
])(
  'holds all or nothing of a publication whose log was torn at any sector, %s',
  async (_what, isRestarted) => {
    const { folder, db, image } = await scene();
    using _ = folder;
    const live = liveOn(await storeOn(db));
    await publishOn(live, first);
    if (isRestarted) checkpoint(db);
    const before = image();
    await publishOn(live, revision);
    const after = image();
    db.close();
    expect(after.main.equals(before.main)).toBe(true);
    expect(await heldIn(before, revision)).toBe('nothing, 4');
    expect(await heldIn(after, revision)).toBe('all, 5');
    const images = torn(before.wal, after.wal);
    expect(images.length).toBeGreaterThan(100);
    const found = new Set<string>();
    for (const wal of images) found.add(await heldIn({ main: after.main, wal }, revision));
    expect([...found]).toEqual(['nothing, 4']);
  },
);

it('holds all of a publication when the checkpoint after it was torn at any sector', async () => {
  const { folder, db, image } = await scene();
  using _ = folder;
  checkpoint(db);
  await publishOn(liveOn(await storeOn(db)), first);
  const before = image();
  checkpoint(db);
  const after = image();
  db.close();
  expect(after.wal.equals(before.wal)).toBe(true);
  const images = torn(before.main, after.main);
  expect(images.length).toBeGreaterThan(50);
  const found = new Set<string>();
  for (const main of images) found.add(await heldIn({ main, wal: after.wal }, first));
  expect([...found]).toEqual(['all, 4']);
});

function checkpoint(db: SqliteDatabase): void {
  expect(db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()).toMatchObject({ busy: 0n });
}
