import { listener, sampleFact } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { startChild } from '../../testing/child-process.ts';
import { ledgerOn } from '../../testing/open-sqlite-ledger.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openDatabase } from './open-database.ts';

const { subject, topic } = sampleFact('user', 'ray', 'walk');

it('loses no sentence that was given and no report that was answered when its process is killed', async () => {
  using folder = temporaryFolder();
  const answered: string[] = [];
  for (const lines of [1, 2, 3, 10, 41]) {
    await using speaker = startChild('./ledger-process.ts', folder.path);
    for (let count = 0; count < lines; count += 1) answered.push((await speaker.line()) ?? 'it ended early');
    answered.push(...(await speaker.kill()));

    const db = openDatabase(folder.path);
    const { ledger } = await ledgerOn(db);
    const sentences = await ledger.sentences(listener('phone'), { subject, topics: [topic] });
    db.close();
    const known = sentences.flatMap(({ version, takesBack, state }) => {
      const said = `said ${version} ${takesBack}`;
      return state === 'heard' ? [said, `heard ${version} ${takesBack}`] : [said];
    });
    expect(answered.filter((line) => !known.includes(line))).toEqual([]);
  }
  expect(answered.filter((line) => line.startsWith('heard')).length).toBeGreaterThan(20);
});
