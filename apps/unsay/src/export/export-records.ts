import { setImmediate } from 'node:timers/promises';
import {
  BEGINNING,
  type FactKey,
  type FactName,
  type FactStore,
  type FactUri,
  type FactVersion,
  instant,
  type Lane,
  type LaneHead,
  type Position,
  parseFactUri,
} from '@unsay/live-resources';
import type { OpenFolder } from '../open-folder.ts';

/** The format of an export (docs/spec/export.md). */
export const EXPORT_FORMAT = 'unsay-export/1';

/** One line of an export, before it is written. */
export type ExportRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

/** What an export reads of a folder. */
export type Exported = Pick<OpenFolder, 'live' | 'meta' | 'clock'>;

// So that few versions are in memory at once, and a running server answers others in between.
const PAGE = 64;

/** The store at one moment: its journal up to a position, and the newest entry of each lane up to there. */
interface Cut {
  readonly position: Position;
  readonly lanes: readonly (Lane & LaneHead)[];
}

/** Everything that an export holds between header and trailer, both left out, without keeping any of it. */
export async function* exportRecords(folder: Exported): AsyncGenerator<ExportRecord> {
  const { store, partition } = folder.live;
  const everything = { subjects: '*', audiences: partition.rules.map((rule) => rule.audience) } as const;
  const cut = await takeCut(store, everything);
  yield { type: 'header', format: EXPORT_FORMAT, exportedAt: instant(folder.clock.now()) };
  const demonstration = folder.meta.get('demonstration');
  if (demonstration === 'seeded') yield { type: 'meta', key: 'demonstration', value: demonstration };
  yield* factRecords(store, everything, cut);
  for (const { subject, audience, ordinal, writtenAt } of cut.lanes)
    yield { type: 'lane', subject, audience, ordinal: count(ordinal), writtenAt };
  yield* auditRecords(store);
  yield* versionRecords(store, cut.position);
}

/** Reads heads and position until nothing was written in between, so that both are of one moment. */
async function takeCut(store: FactStore, filter: Parameters<FactStore['lanes']>[0]): Promise<Cut> {
  for (;;) {
    const position = await store.journalHead();
    const lanes = await store.lanes(filter);
    if ((await store.journalHead()) !== position) continue;
    const byName = (a: Lane, b: Lane): number =>
      compare(a.subject, b.subject) || compare(a.audience, b.audience);
    return { position, lanes: lanes.toSorted(byName) };
  }
}

async function* factRecords(
  store: FactStore,
  filter: Parameters<FactStore['lanes']>[0],
  { lanes }: Cut,
): AsyncGenerator<ExportRecord> {
  const ordinals = new Map(lanes.map((lane) => [`${lane.subject}/${lane.audience}`, lane.ordinal]));
  let after: FactUri | null = null;
  for (;;) {
    const page: readonly FactName[] = await store.names({ ...filter, after, limit: PAGE });
    for (const { uri, subject, topic } of page) {
      const { head, versions } = await store.chain({ subject, topic });
      const isLater = (version: FactVersion): boolean =>
        version.laneOrdinal > (ordinals.get(`${version.subject}/${version.audience}`) ?? 0);
      const kept = versions.filter((version) => !isLater(version));
      // Where nothing was written since, the head is what the store says, and never what the versions say.
      const then = kept.length === versions.length ? head : (kept.at(-1) ?? null);
      if (then !== null)
        yield { type: 'fact', uri, version: count(then.version), versionHash: then.versionHash };
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.uri ?? null;
    await setImmediate();
  }
}

async function* auditRecords(store: FactStore): AsyncGenerator<ExportRecord> {
  for (let index = 0; ; index += PAGE) {
    const { rows, counted } = await store.audit(index, PAGE);
    for (const row of rows) yield { type: 'audit', ...row, count: count(row.count) };
    await setImmediate();
    if (rows.length === PAGE) continue;
    for (const entry of counted) yield { type: 'counted', ...entry, count: count(entry.count) };
    return;
  }
}

async function* versionRecords(store: FactStore, last: Position): AsyncGenerator<ExportRecord> {
  for (let position = BEGINNING; position < last; ) {
    const entries = await store.journal(position, PAGE);
    for (const entry of entries) {
      if (entry.position > last) return;
      position = entry.position;
      const fact = parseFactUri(entry.uri ?? '');
      // A version that is gone leaves a gap in its lane, which whoever verifies finds.
      const version = fact && (await versionIn(store, fact, entry.version));
      if (version !== null) yield versionRecord(version);
    }
    if (entries.length === 0) return;
    await setImmediate();
  }
}

/** A version, or what is left of one that cannot be read: its chain has it, and replays as broken there. */
async function versionIn(store: FactStore, fact: FactKey, number: number): Promise<FactVersion | null> {
  try {
    return await store.version(fact, number);
  } catch {
    const { versions } = await store.chain(fact);
    return versions.find(({ version }) => version === number) ?? null;
  }
}

/** A version as docs/spec/chain.md writes it, "As JSON". */
function versionRecord(version: FactVersion): ExportRecord {
  const salts = Object.entries(version.salts).map(([part, salt]) => [part, salt === null ? null : hex(salt)]);
  const { blob } = version;
  return {
    type: 'version',
    ...version,
    version: count(version.version),
    laneOrdinal: count(version.laneOrdinal),
    blob: blob && { mediaType: blob.mediaType, bytes: Buffer.from(blob.bytes).toString('base64') },
    salts: Object.fromEntries(salts),
  };
}

// A damaged number is written as null: JSON has no other word for it, and the line is then found to be wrong.
function count(number: number): number | null {
  return Number.isSafeInteger(number) ? number : null;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
