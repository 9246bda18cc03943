import { on } from 'node:events';
import { watch } from 'node:fs';
import { type FactStore, instant, parseFactUri } from '@unsay/live-resources';
import { faultsIn } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { startChild } from '../../testing/child-process.ts';
import { storeOn } from '../../testing/open-sqlite-store.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openDatabase } from './open-database.ts';

it('loses nothing that was answered when its process is killed, time after time', async () => {
  using folder = temporaryFolder();
  const answered: string[] = [];
  for (const [run, lines] of [1, 2, 5, 13, 40, 89, 200].entries()) {
    await using writer = startChild('./appending-process.ts', folder.path, String(run));
    for (let count = 0; count < lines; count += 1)
      answered.push((await writer.line()) ?? 'the writer ended early');
    answered.push(...(await writer.kill()));
    await expectWhole(folder.path, answered);
  }
});

it('opens what a process that was killed while it made its store left behind', async () => {
  for (const name of ['unsay.db', 'unsay.db-journal', 'unsay.db-wal']) {
    using folder = temporaryFolder();
    const watcher = watch(folder.path);
    const changes: AsyncIterable<unknown[]> = on(watcher, 'change');
    await using owner = startChild('./owning-process.ts', folder.path);
    for await (const [, changed] of changes) if (changed === name) break;
    await owner.kill();
    watcher.close();
    await expectWhole(folder.path, []);
  }
});

async function expectWhole(folder: string, answered: readonly string[]): Promise<void> {
  const db = openDatabase(folder);
  try {
    const store = await storeOn(db);
    const lost: string[] = [];
    for (const line of answered) if (!(await remembers(store, line))) lost.push(line);
    expect(lost).toEqual([]);
    expect(await faultsIn(store)).toEqual([]);
    const versions = answered.filter((line) => !line.startsWith('nonce ')).length;
    expect(await store.journalHead()).toBeGreaterThanOrEqual(versions);
  } finally {
    db.close();
  }
}

async function remembers(store: FactStore, line: string): Promise<boolean> {
  const [what = '', ...rest] = line.split(' ');
  if (what === 'nonce') {
    const at = instant(Date.UTC(2026, 0, 6));
    const audit = {
      at,
      actor: null,
      uri: null,
      outcome: 'refused',
      reason: null,
      via: 'hmac',
      count: 1,
    } as const;
    return (await store.record(audit, { id: rest.join(' '), expiresAt: at })) === 'replayed';
  }
  const target = parseFactUri(what);
  const version = target === null ? null : await store.version(target, target.version);
  return version !== null && version.versionHash === rest[0];
}
