import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fill,
  linesOf,
  onFolder,
  type Place,
  settingsOf,
  temporaryPlace,
} from '../../testing/data-folder.ts';
import { openFolder } from '../main.ts';
import { backUpFolder } from './backup-folder.ts';
import { restoreFolder } from './restore-folder.ts';

const SECRETS = ['cursor-key', 'master-key', 'token-key.json'];

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

async function backedUp(place: Place, withKeys = true): Promise<string[]> {
  return onFolder(place.at('data'), async (folder) => {
    await fill(folder);
    expect(backUpFolder(folder, place.at('backup'), withKeys)).toMatchObject({ ok: true });
    return linesOf(folder);
  });
}

describe('a backup', () => {
  it('is the store and its secrets, for the owner alone, and is restored to the byte', async () => {
    using place = temporaryPlace();
    writeFileSync(place.at('elsewhere'), 'not a secret of the folder');
    const lines = await backedUp(place);
    expect(readdirSync(place.at('backup')).sort()).toEqual([...SECRETS, 'unsay.db']);
    expect(modeOf(place.at('backup'))).toBe('700');
    for (const name of [...SECRETS, 'unsay.db']) expect(modeOf(join(place.at('backup'), name))).toBe('600');
    expect(restoreFolder(place.at('backup'), place.at('deep/restored'))).toMatchObject({ ok: true });
    expect(await onFolder(place.at('deep/restored'), linesOf)).toEqual(lines);
    for (const name of SECRETS)
      expect(readFileSync(place.at(`deep/restored/${name}`))).toEqual(readFileSync(place.at(`data/${name}`)));
  });

  it('keeps what is answered after it out, and the store as it was', async () => {
    using place = temporaryPlace();
    const lines = await backedUp(place);
    const after = await onFolder(place.at('data'), async (folder) => {
      expect(await linesOf(folder)).toEqual(lines);
      await fill(folder);
      return linesOf(folder);
    });
    restoreFolder(place.at('backup'), place.at('restored'));
    expect(await onFolder(place.at('restored'), linesOf)).toEqual(lines);
    expect(after.length).toBeGreaterThan(lines.length);
  });

  it('without keys holds none, and is opened by the key that was kept elsewhere', async () => {
    using place = temporaryPlace();
    const lines = await backedUp(place, false);
    expect(readdirSync(place.at('backup'))).toEqual(['unsay.db']);
    restoreFolder(place.at('backup'), place.at('restored'));
    await expect(openFolder(settingsOf(place.at('restored')))).rejects.toThrow('master key is not there');
    copyFileSync(place.at('data/master-key'), place.at('restored/master-key'));
    expect(await onFolder(place.at('restored'), linesOf)).toEqual(lines);
  });

  it('is refused where something is, and leaves that alone', async () => {
    using place = temporaryPlace();
    mkdirSync(place.at('there'));
    mkdirSync(place.at('left.unfinished'));
    await onFolder(place.at('data'), async (folder) => {
      for (const name of ['there', 'left', 'data', 'no/such/parent']) {
        expect(backUpFolder(folder, place.at(name), true), name).toMatchObject({ ok: false });
      }
    });
    expect(readdirSync(place.at('there'))).toEqual([]);
    expect(existsSync(place.at('left'))).toBe(false);
  });

  it('that fails leaves nothing behind', async () => {
    using place = temporaryPlace();
    await onFolder(place.at('data'), async (folder) => {
      const failing = {
        ...folder,
        backUp: (file: string) => {
          folder.backUp(file);
          throw new Error('the disk is full');
        },
      };
      expect(() => backUpFolder(failing, place.at('backup'), true)).toThrow('the disk is full');
    });
    expect(readdirSync(place.at('.'))).toEqual(['data']);
  });
});

describe('a restore', () => {
  it.each<[string, (place: Place) => void]>([
    [
      'a folder that is not empty',
      (place) => {
        mkdirSync(place.at('target'));
        writeFileSync(place.at('target/mine'), 'mine');
      },
    ],
    [
      'a copy that has a write-ahead log beside it',
      (place) => writeFileSync(place.at('backup/unsay.db-wal'), ''),
    ],
    ['a data folder in use', (place) => writeFileSync(place.at('backup/control.sock'), '')],
  ])('is refused for %s', async (_what, prepare) => {
    using place = temporaryPlace();
    await backedUp(place);
    prepare(place);
    expect(restoreFolder(place.at('backup'), place.at('target'))).toMatchObject({ ok: false });
    expect(existsSync(place.at('target/unsay.db'))).toBe(false);
    expect(restoreFolder(place.at('none'), place.at('target'))).toMatchObject({ ok: false });
  });

  it('that was killed opens as nothing, and is finished by the next', async () => {
    using place = temporaryPlace();
    const lines = await backedUp(place);
    mkdirSync(place.at('target'));
    writeFileSync(place.at('target/unsay.db.restoring'), 'half of a st');
    writeFileSync(place.at('target/cursor-key'), 'half of a k');
    await expect(openFolder(settingsOf(place.at('target')))).rejects.toThrow('was not finished');
    expect(existsSync(place.at('target/unsay.db'))).toBe(false);
    expect(restoreFolder(place.at('backup'), place.at('target'))).toMatchObject({ ok: true });
    expect(await onFolder(place.at('target'), linesOf)).toEqual(lines);
  });
});
