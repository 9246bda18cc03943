import { parseFactUri } from '@unsay/live-resources';
import { attempt, faultsIn, START, sampleFact, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { startChild } from '../../testing/child-process.ts';
import { postgresStoreOn, type TemporarySchema, temporarySchema } from '../../testing/open-postgres-store.ts';
import { attemptOn, heldOf, liveOn, SIDE_BY_SIDE } from '../../testing/publications.ts';

// A process for each takes its time; the steps between are of the same kinds.
const KILLS = 10;

it('is whole after a kill before one step or another of a write, and holds all that was answered', async () => {
  const steps = await onPrepared(async (schema) => {
    await using whole = startChild('./dying-postgres-process.ts', schema.url, '0');
    const said: string[] = [];
    for (let line = await whole.line(); line !== null; line = await whole.line()) said.push(line);
    expect(await whole.ended()).toEqual({ code: 0, stderr: '' });
    expect(said).toHaveLength(SIDE_BY_SIDE.length + 1);
    return Number(said.at(-1)?.replace('steps ', ''));
  });
  expect(steps).toBeGreaterThan(30);
  // How many steps there are depends on what is written together, so the last one is asked for by its name.
  const fatal: (number | 'last')[] = ['last'];
  for (let index = 1; index < KILLS; index += 1) fatal.push(Math.ceil((index * steps) / KILLS));
  const ends = new Set<string>();
  const worker = async (): Promise<void> => {
    for (let step = fatal.shift(); step !== undefined; step = fatal.shift())
      ends.add(await killedBefore(step));
  };
  await Promise.all([worker(), worker()]);
  expect(ends).toContain('0 stored, 0 answered');
  expect(ends).toContain(`${SIDE_BY_SIDE.length} stored, ${SIDE_BY_SIDE.length - 1} answered`);
});

/** A schema whose store has a chain, a used signature and a count of refusals that is due. */
async function onPrepared<T>(test: (schema: TemporarySchema) => Promise<T>): Promise<T> {
  const schema = await temporarySchema();
  const db = await schema.open();
  const store = await postgresStoreOn(db);
  await write(store, sampleFact('user', 'ray', 'walking'));
  await write(store, sampleFact('user', 'ray', 'walking'));
  await store.countRefusal(attempt(START));
  await db.close();
  const result = await test(schema);
  await schema.close();
  return result;
}

/** Kills a process before a step, looks at what it left, and says how many publications are stored and answered. */
function killedBefore(step: number | 'last'): Promise<string> {
  return onPrepared(async (schema) => {
    const answered: string[] = [];
    await using writer = startChild('./dying-postgres-process.ts', schema.url, String(step));
    let outlived = false;
    for (let line = await writer.line(); line !== null; line = await writer.line()) {
      // Where more was written together there were fewer steps.
      if (line.startsWith('steps ')) outlived = true;
      else answered.push(line);
    }
    expect(await writer.ended()).toEqual({ code: outlived ? 0 : null, stderr: '' });
    // The server finishes what it had received.
    while ((await schema.execute(`SELECT pid FROM ${schema.processes}`)).length > 0);
    const db = await schema.open();
    const store = await postgresStoreOn(db);
    expect([step, await faultsIn(store)]).toEqual([step, []]);
    const held = new Map<string, string>();
    for (const sample of SIDE_BY_SIDE) held.set(sample.name, await heldOf(store, sample));
    const stored = [...held.values()].filter((what) => what === 'all').length;
    expect([step, [...held.values()].filter((what) => what === 'a part')]).toEqual([step, []]);
    expect(await store.journalHead()).toBe(2 + stored);
    for (const line of answered) {
      const [name = '', uri = '', hash] = line.split(' ');
      const target = parseFactUri(uri);
      expect(target && (await store.version(target, target.version))?.versionHash).toBe(hash);
      expect(held.get(name)).toBe('all');
    }
    // Whoever was not answered sends again: what is stored is told, and what is not is written.
    for (const sample of SIDE_BY_SIDE) {
      const again = await attemptOn(liveOn(store), sample, 2);
      expect(again.kind).toBe(held.get(sample.name) === 'all' ? 'repeated' : 'published');
    }
    await db.close();
    return `${stored} stored, ${answered.length} answered`;
  });
}
