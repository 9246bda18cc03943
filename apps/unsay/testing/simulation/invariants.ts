import {
  BEGINNING,
  epochMs,
  type FactStore,
  type FactVersion,
  replayAudit,
  replayChain,
} from '@unsay/live-resources';
import { carePartition } from '../../src/domain/care-partition.ts';
import { type Ledger, MARK } from './ledger.ts';
import { LEASE_MS, type Listener } from './listener.ts';
import { EVERY_URI, laneOf, reaches } from './people.ts';

const EVERYTHING = { subjects: '*', audiences: carePartition.rules.map(({ audience }) => audience) } as const;
const MOST = 100_000;
// What the network itself may take, and a heartbeat more: news that is under way is nobody's silence.
const UNDER_WAY_MS = 11_000;

/** Everything that is stored, as it is stored. */
interface Stored {
  readonly chains: readonly (readonly FactVersion[])[];
  readonly heads: ReadonlyMap<string, FactVersion>;
}

/** What is broken when the network was healed and everyone has caught up; sentences. */
export async function brokenAtTheEnd(
  store: FactStore,
  ledger: Ledger,
  listeners: readonly Listener[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  const stored = await readStore(store, broken);
  brokenLanes(stored, await store.lanes(EVERYTHING), broken);
  await brokenJournal(store, stored, broken);
  brokenPromises(stored, ledger, broken);
  for (const listener of listeners) brokenView(listener, stored, broken);
  return broken;
}

/** Listeners that believe to be live and hold what was corrected longer ago than their lease; sentences. */
export function silentlyStale(
  ledger: Ledger,
  listeners: readonly Listener[],
  now: number,
): readonly string[] {
  return listeners
    .filter((listener) => listener.believesLive)
    .flatMap((listener) =>
      [...listener.held].flatMap(([uri, { version }]) => {
        const known = ledger.answeredHead(uri, now - LEASE_MS - UNDER_WAY_MS);
        if (version >= known || listener.suspect.has(uri)) return [];
        return `${listener.plan.name} takes ${uri} v${version} for current although v${known} was published long ago`;
      }),
    );
}

async function readStore(store: FactStore, broken: string[]): Promise<Stored> {
  const chains: (readonly FactVersion[])[] = [];
  const heads = new Map<string, FactVersion>();
  for (const name of await store.names({ ...EVERYTHING, after: null, limit: MOST })) {
    const { head, versions } = await store.chain(name);
    if (!replayChain(versions, head).intact) broken.push(`the chain of ${name.uri} is broken`);
    chains.push(versions);
    const newest = versions.at(-1);
    if (newest !== undefined) heads.set(name.uri, newest);
  }
  return { chains, heads };
}

function brokenLanes(
  { chains }: Stored,
  lanes: Awaited<ReturnType<FactStore['lanes']>>,
  broken: string[],
): void {
  for (const lane of lanes) {
    const versions = chains
      .flat()
      .filter(({ subject, audience }) => subject === lane.subject && audience === lane.audience)
      .sort((a, b) => a.laneOrdinal - b.laneOrdinal);
    const name = `${lane.subject}/${lane.audience}`;
    if (
      versions.some(({ laneOrdinal }, index) => laneOrdinal !== index + 1) ||
      versions.length !== lane.ordinal
    )
      broken.push(`the lane ${name} has a gap, or a place that two versions hold`);
    let last = 0;
    for (const { uri, version, writtenAt } of versions) {
      if (epochMs(writtenAt) < last)
        broken.push(`in the lane ${name} time goes backwards at ${uri} v${version}`);
      last = epochMs(writtenAt);
    }
  }
}

async function brokenJournal(store: FactStore, { chains }: Stored, broken: string[]): Promise<void> {
  const unnamed = new Set(chains.flat().map(({ uri, version }) => `${uri}/v${version}`));
  for (const [index, { position, uri, version }] of (await store.journal(BEGINNING, MOST)).entries()) {
    if (position !== index + 1) broken.push(`the journal has ${position} in place ${index + 1}`);
    if (!unnamed.delete(`${uri}/v${version}`))
      broken.push(`the journal names ${uri}/v${version} wrongly or twice`);
  }
  for (const name of unnamed) broken.push(`the journal lacks ${name}`);
  const { rows } = await store.audit(0, MOST);
  const brokenRow = replayAudit(rows);
  if (brokenRow !== null) broken.push(`the audit log is broken at row ${brokenRow}`);
  const accepted = rows.filter(({ outcome, reason }) => outcome === 'accepted' && reason === null).length;
  if (accepted !== chains.flat().length)
    broken.push(`the audit log has ${accepted} acceptances for ${chains.flat().length} versions`);
}

function brokenPromises({ chains }: Stored, ledger: Ledger, broken: string[]): void {
  const found = new Map<number, FactVersion>();
  for (const version of chains.flat()) {
    const [mark] = version.authorId.matchAll(MARK);
    const number = Number(mark?.[1] ?? Number.NaN);
    const write = ledger.writes[number];
    if (write === undefined || write.uri !== version.uri)
      broken.push(`${version.uri} v${version.version} was written by nobody`);
    const earlier = found.get(number);
    if (earlier !== undefined)
      broken.push(`one request became v${earlier.version} and v${version.version} of ${version.uri}`);
    found.set(number, version);
  }
  for (const { number, uri, answer } of ledger.writes) {
    if (answer === null) continue;
    const version = found.get(number);
    if (version === undefined) broken.push(`${uri} v${answer.version} was answered and is lost`);
    else if (version.versionHash !== answer.versionHash || version.version !== answer.version)
      broken.push(`${uri} v${answer.version} was answered and is another version now`);
  }
}

function brokenView(listener: Listener, stored: Stored, broken: string[]): void {
  const { plan, rights, held, learned } = listener;
  if (!listener.believesLive) broken.push(`${plan.name} did not come back although nothing fails any more`);
  for (const uri of EVERY_URI) {
    const head = reaches(rights, laneOf(uri)) ? (stored.heads.get(uri) ?? null) : null;
    const own = held.get(uri) ?? null;
    if (head?.versionHash !== own?.versionHash)
      broken.push(`${plan.name} holds ${uri} ${nameOf(own)} where the head is ${nameOf(head)}`);
  }
  for (const chain of stored.chains) {
    const [first] = chain;
    if (first === undefined) continue;
    const told = learned.filter(({ uri }) => uri === first.uri).map(({ version }) => version);
    if (told.some((version, index) => index > 0 && version <= (told[index - 1] ?? 0)))
      broken.push(
        `${plan.name} learned corrections of ${first.uri} twice or out of order: ${told.join(', ')}`,
      );
    if (!reaches(rights, laneOf(first.uri))) continue;
    const withdrawn = chain.findLast(({ kind }) => kind === 'withdraw')?.version ?? 0;
    // What was withdrawn since may have been learned before, and need not be told any more.
    const missed = chain.filter(
      ({ version }) => version > 1 && version >= withdrawn && !told.includes(version),
    );
    for (const { version } of missed) broken.push(`${plan.name} never learned of ${first.uri} v${version}`);
  }
}

function nameOf(version: { readonly version: number } | null): string {
  return version === null ? 'not at all' : `v${version.version}`;
}
