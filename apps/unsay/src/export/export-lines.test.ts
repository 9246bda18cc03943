import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { type Report, verifyExport } from '@unsay/verifier';
import { describe, expect, it } from 'vitest';
import { fill, linesOf, onFolder, say, temporaryPlace } from '../../testing/data-folder.ts';
import { verifyStore } from '../operations/verify-operation.ts';
import { exportLines } from './export-lines.ts';

function verify(lines: readonly string[]): Promise<Report> {
  return verifyExport(Readable.from(lines.map((line) => Buffer.from(line))));
}

const typesOf = (lines: readonly string[]): string[] => lines.map((line) => JSON.parse(line).type);

describe('an export', () => {
  it('holds every version, head, lane and attempt, and verifies without the store', async () => {
    using place = temporaryPlace();
    await onFolder(place.at('data'), async (folder) => {
      await fill(folder);
      const lines = await linesOf(folder);
      const report = await verify(lines);
      expect(report.steps.flatMap(({ findings }) => findings)).toEqual([]);
      expect(report).toMatchObject({ intact: true, chains: 4, versions: 7, erased: 0, broken: [] });
      const count = Object.groupBy(typesOf(lines), (type) => type);
      expect(Object.entries(count).map(([type, all]) => [type, all?.length])).toEqual([
        ['header', 1],
        ['fact', 4],
        ['lane', 3],
        ['audit', 8],
        ['counted', 1],
        ['version', 7],
        ['trailer', 1],
      ]);
      expect(lines.join('')).not.toContain('"type":"meta"');
    });
  });

  it('is the same bytes each time, also of a store of another key that says the same', async () => {
    using place = temporaryPlace();
    const copies = ['first', 'second'].map((name) =>
      onFolder(place.at(name), async (folder) => {
        await fill(folder);
        const lines = await linesOf(folder);
        expect(await linesOf(folder)).toEqual(lines);
        return lines.filter((line) => !/"type":"(version|fact|trailer)"/.test(line));
      }),
    );
    const [first, second] = await Promise.all(copies);
    expect(first?.length).toBeGreaterThan(10);
    expect(second).toEqual(first);
  });

  it('of an empty store is empty, and verifies', async () => {
    using place = temporaryPlace();
    const lines = await onFolder(place.at('data'), linesOf);
    expect(typesOf(lines)).toEqual(['header', 'trailer']);
    expect(await verify(lines)).toMatchObject({ intact: true, chains: 0, versions: 0 });
  });

  it('is the store as it was when it began, whatever is written before its every line', async () => {
    using place = temporaryPlace();
    await onFolder(place.at('data'), async (folder) => {
      await fill(folder);
      const atFirst = await linesOf(folder);
      const lines: string[] = [];
      for await (const line of exportLines(folder)) {
        lines.push(line);
        await say(folder, 'care://ray/walking', `After line ${lines.length}.`);
        await say(folder, `care://new-${lines.length}/fact`, 'A new fact of a new lane.');
      }
      expect(await verify(lines)).toMatchObject({ intact: true, chains: 4, versions: 7 });
      const dated = (all: readonly string[]): string[] =>
        all.filter((line) => /"type":"(fact|lane|version)"/.test(line));
      expect(dated(lines)).toEqual(dated(atFirst));
      expect(await verify(await linesOf(folder))).toMatchObject({
        intact: true,
        versions: 7 + 2 * lines.length,
      });
    });
  });
});

describe('an export of a store that was tampered with', () => {
  it.each([
    ['a version that was changed', 'UPDATE versions SET ciphertext = zeroblob(200) WHERE position = 4'],
    [
      'a time that was changed',
      "UPDATE versions SET written_at = '2033-01-01T00:00:00.000Z' WHERE position = 4",
    ],
    ['a version that is gone', 'DELETE FROM versions WHERE position = 4'],
    ['the newest version gone', 'DELETE FROM versions WHERE position = 7'],
    ['a head that was set back', 'UPDATE facts SET head_version = head_version - 1 WHERE head_version = 4'],
    ['an ordinal that is out of reach', 'UPDATE versions SET lane_ordinal = 999 WHERE position = 5'],
    ['a lane that is said to be longer', 'UPDATE lanes SET ordinal = ordinal + 1'],
    ['a row of the journal that is gone', 'DELETE FROM journal WHERE position = 4'],
    [
      'a row of the audit log that was changed',
      'UPDATE audit SET ciphertext = zeroblob(90) WHERE row_index = 3',
    ],
  ])('is written all the same, and does not verify: %s', async (_what, sql) => {
    using place = temporaryPlace();
    await onFolder(place.at('data'), fill);
    const connection = new DatabaseSync(place.at('data/unsay.db'), { enableForeignKeyConstraints: false });
    connection.exec(`PRAGMA ignore_check_constraints = ON; ${sql}`);
    connection.close();
    const report = await onFolder(place.at('data'), async (folder) => verify(await linesOf(folder)));
    expect(report.intact).toBe(false);
  });

  it('names the version that the store itself finds broken', async () => {
    using place = temporaryPlace();
    await onFolder(place.at('data'), fill);
    const connection = new DatabaseSync(place.at('data/unsay.db'));
    connection.exec("UPDATE versions SET written_at = '2033-03-04T05:06:07.090Z' WHERE position = 4");
    connection.close();
    await onFolder(place.at('data'), async (folder) => {
      const { data } = await verifyStore(folder, {});
      const { broken } = await verify(await linesOf(folder));
      expect(data.broken).toEqual([{ uri: 'care://ray/walking', version: 2 }]);
      expect(broken).toContainEqual({ uri: 'care://ray/walking', version: 2 });
    });
  });
});

it('verification of a store that is being written to finds no fault that is not there', async () => {
  using place = temporaryPlace();
  await onFolder(place.at('data'), async (folder) => {
    await fill(folder);
    for (let count = 0; count < 70; count += 1) await say(folder, `care://ray/fact-${count}`, 'Said.');
    const verifying = verifyStore(folder, {});
    for (let count = 0; count < 70; count += 1) await say(folder, `care://ray/fact-${count}`, 'Said again.');
    expect(await verifying).toMatchObject({ ok: true, data: { intact: true, chains: 74 } });
  });
});
