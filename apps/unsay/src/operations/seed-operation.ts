import { demonstrationPlan } from '../domain/demonstration-plan.ts';
import { seedDemonstration } from '../domain/seed-demonstration.ts';
import { unfinishedImport } from '../export/import-mark.ts';
import type { OpenFolder } from '../open-folder.ts';
import { readClip } from '../read-clip.ts';
import { type Operation, refusal } from './operation.ts';

const KEY = 'demonstration';
const SEEDED = 'seeded';

/** Whether the demonstration plan was written by this call, was there before, or met other facts. */
export type SeedOutcome = 'seeded' | 'there_already' | 'not_empty';

const underWay = new WeakMap<OpenFolder, Promise<SeedOutcome>>();

/** Writes the demonstration plan into an empty store, once however often it is called meanwhile. */
export function seedFolder(folder: OpenFolder): Promise<SeedOutcome> {
  const seeding = underWay.get(folder) ?? seed(folder).finally(() => underWay.delete(folder));
  underWay.set(folder, seeding);
  return seeding;
}

// The seed's time is kept before its first fact: a seed that was killed goes on as the same one.
async function seed({ live, meta }: OpenFolder): Promise<SeedOutcome> {
  const begun = meta.get(KEY);
  if (begun === SEEDED) return 'there_already';
  if (begun === null && (await live.store.journalHead()) !== 0) return 'not_empty';
  const now = begun === null ? live.clock.now() : Number(begun);
  await meta.set(KEY, String(now));
  await seedDemonstration(live, now, readClip);
  await meta.set(KEY, SEEDED);
  return 'seeded';
}

/** `unsay seed`: who may read it without a token may from the next start on. */
export const seedStore: Operation = async (folder) => {
  const outcome = unfinishedImport(folder.meta) === null ? await seedFolder(folder) : 'not_empty';
  if (outcome === 'not_empty') {
    return refusal(
      'The store is not empty; nothing was written.',
      'Name a new folder with --data to look at the demonstration plan.',
    );
  }
  const facts = new Set(demonstrationPlan(folder.clock.now()).map(({ uri }) => uri)).size;
  return { ok: true, data: { seeded: outcome === 'seeded', facts } };
};
