import {
  type BlobInput,
  DEFAULT_BLOB_LIMIT,
  type FactStore,
  type LiveResourcesParts,
  type Principal,
  parseDraft,
  publish,
  seededRandomness,
} from '@unsay/live-resources';
import { type ClipName, demonstrationPlan, type PlanEntry } from './demonstration-plan.ts';

// Salts of the demonstration are constants: anyone can recompute every hash of the plan.
const SALTS = seededRandomness('unsay demonstration plan');

/**
 * Writes the demonstration plan into a store, quietly. A run that was killed half-way is completed by the
 * next one with the same `now`: what stands is left alone. A clip over the store's ceiling is left out.
 */
export async function seedDemonstration(
  parts: LiveResourcesParts,
  now: number,
  readClip: (name: ClipName) => Uint8Array,
): Promise<void> {
  const written = new Map<string, number>();
  for (const entry of demonstrationPlan(now)) {
    const version = (written.get(entry.uri) ?? 0) + 1;
    written.set(entry.uri, version);
    const blob = entry.clip === undefined ? null : clipThatFits(parts, readClip(entry.clip));
    await seedVersion(parts, entry, version, blob);
  }
}

function clipThatFits(
  { blobLimit = DEFAULT_BLOB_LIMIT }: LiveResourcesParts,
  bytes: Uint8Array,
): BlobInput | null {
  return bytes.length > blobLimit ? null : { mediaType: 'audio/wav', bytes };
}

async function seedVersion(
  parts: LiveResourcesParts,
  entry: PlanEntry,
  version: number,
  blob: BlobInput | null,
): Promise<void> {
  const { partition, store } = parts;
  const draft = parseDraft(partition, { ...entry, blob });
  if (typeof draft === 'string') throw new Error(`the demonstration plan has a malformed ${draft}`);
  if (await stands(store, draft.target, version)) return;
  const publisher = { ...parts, clock: { now: () => entry.writtenAt }, randomness: SALTS };
  const outcome = await publish(publisher, seeder(parts), {
    draft,
    ifMatch: null,
    nonce: null,
    request: null,
    via: 'seed',
    quiet: true,
  });
  if (outcome.kind !== 'published') throw new Error(`the demonstration plan was refused: ${outcome.kind}`);
}

async function stands(
  store: FactStore,
  fact: Parameters<FactStore['version']>[0],
  version: number,
): Promise<boolean> {
  return (await store.version(fact, version)) !== null;
}

function seeder({ partition }: LiveResourcesParts): Principal {
  const scopes = [partition.writeScope, ...partition.rules.map((rule) => rule.readScope)];
  return { sub: 'demonstration', clientId: 'unsay', scopes: new Set(scopes), subjects: '*' };
}
