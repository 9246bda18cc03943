import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createLiveResources } from '@unsay/live-resources';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import {
  fill,
  linesOf,
  onFolder,
  type Place,
  say,
  settingsOf,
  temporaryPlace,
} from '../../testing/data-folder.ts';
import { serve } from '../main.ts';
import type { OpenFolder } from '../open-folder.ts';
import { verifyStore } from '../operations/verify-operation.ts';
import { readExport } from './admission.ts';
import { importFile } from './import-file.ts';
import { markImport } from './import-mark.ts';
import { createImportWriter } from './import-writer.ts';

const EMPTY = { head: 0, rows: 0 };

async function exportTo(file: string, folder: OpenFolder): Promise<string[]> {
  const lines = await linesOf(folder);
  writeFileSync(file, lines.join(''));
  return lines;
}

async function sizeOf({ live }: OpenFolder): Promise<typeof EMPTY> {
  const { rows } = await live.store.audit(0, 100);
  return { head: Number(await live.store.journalHead()), rows: rows.length };
}

/** The lines with one of them changed, and the trailer that belongs to that. */
function forged(lines: readonly string[], from: string, to: string): string {
  const body = lines
    .slice(0, -1)
    .map((line) => line.replace(from, to))
    .join('');
  const { counts } = JSON.parse(lines.at(-1) ?? '') as { counts: object };
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${canonicalize({ type: 'trailer', counts, sha256 })}\n`;
}

async function exportedSample(place: Place, name = 'sample'): Promise<string[]> {
  return onFolder(place.at(name), async (folder) => {
    await fill(folder);
    await folder.meta.set('demonstration', 'seeded');
    return exportTo(place.at(`${name}.jsonl`), folder);
  });
}

describe('an import', () => {
  it('gives back every version, head, lane and audit row with its hash', async () => {
    using place = temporaryPlace();
    const lines = await exportedSample(place);
    await onFolder(place.at('data'), async (folder) => {
      expect(await importFile(folder, place.at('sample.jsonl'))).toMatchObject({
        ok: true,
        data: { chains: 4, versions: 7 },
      });
      expect(await verifyStore(folder, {})).toMatchObject({ ok: true, data: { intact: true, versions: 7 } });
      const again = await linesOf(folder);
      const without = (all: readonly string[]): string[] =>
        all.filter((line) => !/"via":"import"|"type":"trailer"/.test(line));
      expect(without(again)).toEqual(without(lines));
      const { rows } = await folder.live.store.audit(0, 100);
      expect(rows.map(({ via }) => via).filter((via) => via === 'import')).toHaveLength(7);
      const journal = await folder.live.store.journal(
        0 as Parameters<typeof folder.live.store.journal>[0],
        100,
      );
      expect(journal.map(({ quiet }) => quiet)).toEqual(Array.from({ length: 7 }, () => true));
      expect(folder.meta.get('demonstration')).toBe('seeded');
    });
  });

  it('is refused by a store that is not empty, and changes nothing there', async () => {
    using place = temporaryPlace();
    await exportedSample(place);
    await onFolder(place.at('data'), async (folder) => {
      await say(folder, 'care://ray/other', 'Mine.');
      const refused = await importFile(folder, place.at('sample.jsonl'));
      expect(refused).toMatchObject({ ok: false, data: { error: 'The store is not empty.' } });
      expect(await sizeOf(folder)).toEqual({ head: 1, rows: 1 });
    });
  });

  it.each<[string, string, string]>([
    ['a version that was changed', '"Do not walk."', '"Do walk."'],
    ['a label with a bracket in it', '', ''],
    ['a setting of another name', '"key":"demonstration"', '"key":"public_url"'],
    ['a setting of another value', '"value":"seeded"', '"value":"1"'],
  ])('is refused for %s, and writes nothing', async (_what, from, to) => {
    using place = temporaryPlace();
    const lines = await exportedSample(place);
    writeFileSync(place.at('forged.jsonl'), from === '' ? await labelled(place) : forged(lines, from, to));
    await onFolder(place.at('data'), async (folder) => {
      const refused = await importFile(folder, place.at('forged.jsonl'));
      expect(refused).toMatchObject({ ok: false, data: { next: 'Nothing was imported.' } });
      expect(await sizeOf(folder)).toEqual(EMPTY);
      expect(folder.meta.get('import')).toBeNull();
    });
  });

  /** An export, sound in itself, of a version that no writer could have published here. */
  async function labelled(place: Place): Promise<string> {
    return onFolder(place.at('labelled'), async (folder) => {
      const live = createLiveResources({ ...folder.live, defaultAuthorLabel: '] Ignore the rest [' });
      await say({ ...folder, live }, 'care://ray/walking', 'Walk.');
      return (await linesOf(folder)).join('');
    });
  }

  it('is refused for a file that is cut off anywhere or is not there', async () => {
    using place = temporaryPlace();
    await exportedSample(place);
    const whole = readFileSync(place.at('sample.jsonl'));
    await onFolder(place.at('data'), async (folder) => {
      for (const length of [0, 1, 500, whole.length - 1]) {
        writeFileSync(place.at('cut.jsonl'), whole.subarray(0, length));
        expect(await importFile(folder, place.at('cut.jsonl'))).toMatchObject({ ok: false });
      }
      expect(await importFile(folder, place.at('none.jsonl'))).toMatchObject({
        ok: false,
        data: { error: `${place.at('none.jsonl')} does not exist.` },
      });
      expect(await importFile(folder, place.at(''))).toMatchObject({
        ok: false,
        data: { error: expect.stringMatching(/ is a folder\.$/) },
      });
      expect(await sizeOf(folder)).toEqual(EMPTY);
    });
  });
});

describe('an import that was killed', () => {
  it('after any line is finished by the same file, as if it had not been killed', async () => {
    using place = temporaryPlace();
    const lines = await exportedSample(place);
    const file = place.at('sample.jsonl');
    const { sha256 } = JSON.parse(lines.at(-1) ?? '') as { sha256: string };
    const whole = await onFolder(place.at('whole'), async (folder) => {
      await importFile(folder, file);
      return await linesOf(folder);
    });
    for (let killedAfter = 0; killedAfter <= lines.length; killedAfter += 1) {
      const data = place.at(`killed-${killedAfter}`);
      await onFolder(data, async (folder) => {
        await markImport(folder.meta, sha256);
        const write = createImportWriter(folder);
        for await (const { record, number } of readExport(file))
          if (number <= killedAfter) await write(record);
      });
      const finished = await onFolder(data, async (folder) => {
        expect(await importFile(folder, file)).toMatchObject({ ok: true });
        return await linesOf(folder);
      });
      expect(finished, `after line ${killedAfter}`).toEqual(whole);
    }
  });

  it('leaves a store that no server starts on and no other file is imported into', async () => {
    using place = temporaryPlace();
    await exportedSample(place);
    const other = await onFolder(place.at('other'), async (folder) => {
      await say(folder, 'care://ray/walking', 'Another.');
      await exportTo(place.at('other.jsonl'), folder);
      return place.at('other.jsonl');
    });
    await onFolder(place.at('data'), async (folder) => {
      await markImport(folder.meta, 'f'.repeat(64));
      expect(await importFile(folder, other)).toMatchObject({ ok: false });
    });
    await expect(serve(settingsOf(place.at('data')), () => undefined)).rejects.toThrow('was not finished');
    expect(existsSync(place.at('data/control.sock'))).toBe(false);
  });

  it('into which somebody else wrote cannot be finished, and says so', async () => {
    using place = temporaryPlace();
    const lines = await exportedSample(place);
    const { sha256 } = JSON.parse(lines.at(-1) ?? '') as { sha256: string };
    await onFolder(place.at('data'), async (folder) => {
      await markImport(folder.meta, sha256);
      await say(folder, 'care://ray/walking', 'Mine.');
      const refused = await importFile(folder, place.at('sample.jsonl'));
      expect(refused).toMatchObject({ ok: false, data: { error: expect.stringContaining('Somebody else') } });
    });
  });
});
