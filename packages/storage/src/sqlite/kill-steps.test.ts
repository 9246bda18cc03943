import { cpSync } from 'node:fs';
import { type FactStore, parseFactUri } from '@unsay/live-resources';
import { attempt, faultsIn, START, sampleFact, write } from '@unsay/live-resources/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { startChild } from '../../testing/child-process.ts';
import { storeOn } from '../../testing/open-sqlite-store.ts';
import {
  attemptOn,
  heldOf,
  liveOn,
  PUBLICATIONS,
  type SamplePublication,
  SIDE_BY_SIDE,
} from '../../testing/publications.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openDatabase } from './open-database.ts';

// As many as a small machine runs side by side.
const AT_ONCE = 2;

afterEach(() => vi.unstubAllEnvs());

/** Publications, and the folder in which a process is to make them. */
interface Plan {
  readonly order: string;
  readonly samples: readonly SamplePublication[];
  readonly template: string;
}

it.each([
  ['one after the other', PUBLICATIONS],
  ['side by side', SIDE_BY_SIDE],
])(
  'is whole after a kill before every single step of publications %s, and holds all that were answered',
  async (order, samples) => {
    using template = temporaryFolder();
    using compiled = temporaryFolder();
    // The process that outlives all steps leaves its compiled modules to those that do not.
    vi.stubEnv('NODE_COMPILE_CACHE', compiled.path);
    await prepare(template.path);
    const plan = { order, samples, template: template.path };
    const steps = await stepsOf(plan);
    expect(steps).toBeGreaterThan(40);
    const ends = new Set<string>();
    let next = 1;
    const worker = async (): Promise<void> => {
      while (next <= steps) ends.add(await killedBefore(next++, plan));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // Kills were met before anything was written, between what was written and its answer, and after all answers.
    const most = samples.length;
    expect(ends).toContain('0 stored, 0 answered');
    expect(ends).toContain(`${most} stored, ${most - 1} answered`);
    expect(ends).toContain(`${most} stored, ${most} answered`);
  },
);

/** A store with a chain, a used signature and a count of refusals that is due. */
async function prepare(folder: string): Promise<void> {
  const db = openDatabase(folder);
  const store = await storeOn(db);
  await write(store, sampleFact('user', 'ray', 'walking'));
  await write(store, sampleFact('user', 'ray', 'walking'));
  await store.countRefusal(attempt(START));
  db.close();
}

async function stepsOf({ order, samples, template }: Plan): Promise<number> {
  using folder = temporaryFolder();
  cpSync(template, folder.path, { recursive: true });
  await using whole = startChild('./dying-process.ts', folder.path, order, '0');
  const said: (string | null)[] = [];
  for (const _ of samples) said.push(await whole.line());
  expect(said.map((line) => line?.split(' ')[0]).sort()).toEqual(samples.map(({ name }) => name).sort());
  const steps = await whole.line();
  expect(await whole.ended()).toEqual({ code: 0, stderr: '' });
  return Number(steps?.replace('steps ', ''));
}

/** Kills a process before a step, looks at what it left, and says how many publications are stored and answered. */
async function killedBefore(step: number, { order, samples, template }: Plan): Promise<string> {
  using folder = temporaryFolder();
  cpSync(template, folder.path, { recursive: true });
  const answered: string[] = [];
  {
    await using writer = startChild('./dying-process.ts', folder.path, order, String(step));
    for (let line = await writer.line(); line !== null; line = await writer.line()) answered.push(line);
    expect(await writer.ended()).toEqual({ code: null, stderr: '' });
  }
  const db = openDatabase(folder.path);
  try {
    const store = await storeOn(db);
    expect([step, await faultsIn(store)]).toEqual([step, []]);
    const held = new Map<string, string>();
    for (const sample of samples) held.set(sample.name, await heldOf(store, sample));
    const stored = [...held.values()].filter((what) => what === 'all').length;
    expect([step, [...held.values()].filter((what) => what === 'a part')]).toEqual([step, []]);
    expect(await store.journalHead()).toBe(2 + stored);
    for (const line of answered) {
      const [name = '', uri = '', hash] = line.split(' ');
      const target = parseFactUri(uri);
      expect(target && (await store.version(target, target.version))?.versionHash).toBe(hash);
      expect(held.get(name)).toBe('all');
    }
    await retryAll(store, samples, held);
    return `${stored} stored, ${answered.length} answered`;
  } finally {
    db.close();
  }
}

/** Whoever was not answered sends again: what is stored is told, and what is not is written. */
async function retryAll(
  store: FactStore,
  samples: readonly SamplePublication[],
  held: ReadonlyMap<string, string>,
): Promise<void> {
  const live = liveOn(store);
  let repeats = 0;
  for (const sample of samples) {
    const again = await attemptOn(live, sample, 2);
    const isStored = held.get(sample.name) === 'all';
    expect(again.kind).toBe(isStored ? 'repeated' : 'published');
    if (isStored) repeats += 1;
  }
  // A repeated answer is an attempt that was accepted, and no version.
  const versions = 2 + samples.length;
  const counted = repeats === 0 ? [] : [`${versions + repeats} accepted attempts for ${versions} versions`];
  expect(await faultsIn(store)).toEqual(counted);
}
