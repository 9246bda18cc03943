import { replayAudit } from '../src/audit.ts';
import { replayChain } from '../src/chain.ts';
import { BEGINNING } from '../src/journal.ts';
import type { FactStore } from '../src/store.ts';
import type { FactVersion } from '../src/version.ts';
import { PARTITION } from './sample-facts.ts';

/** Every lane of the sample partition. */
export const EVERY_LANE = { subjects: '*', audiences: PARTITION.rules.map((rule) => rule.audience) } as const;

const MOST = 100_000;

/** All that a store shows, to see whether anything changed. */
export async function everythingIn(store: FactStore): Promise<{
  readonly chains: readonly Awaited<ReturnType<FactStore['chain']>>[];
  readonly lanes: Awaited<ReturnType<FactStore['lanes']>>;
  readonly journal: Awaited<ReturnType<FactStore['journal']>>;
  readonly audit: Awaited<ReturnType<FactStore['audit']>>;
}> {
  const heads = await store.list({ ...EVERY_LANE, after: null, limit: MOST });
  return {
    chains: await Promise.all(heads.map((head) => store.chain(head))),
    lanes: await store.lanes(EVERY_LANE),
    journal: await store.journal(BEGINNING, MOST),
    audit: await store.audit(0, MOST),
  };
}

/** What keeps a store of the sample partition from being whole; empty when nothing does. */
export async function faultsIn(store: FactStore): Promise<string[]> {
  const { chains, lanes, journal, audit } = await everythingIn(store);
  const versions = chains.flatMap((chain) => chain.versions);
  const faults = chains
    .filter(({ head, versions }) => !replayChain(versions, head).intact)
    .map(({ versions }) => `the chain of ${versions[0]?.uri} is broken`);
  for (const lane of lanes) {
    const entries = versions
      .filter((version) => sameLane(version, lane))
      .sort((a, b) => a.laneOrdinal - b.laneOrdinal);
    const dense = entries.every((version, index) => version.laneOrdinal === index + 1);
    const newest = entries.at(-1);
    if (!dense || newest?.laneOrdinal !== lane.ordinal || newest.writtenAt !== lane.writtenAt) {
      faults.push(`the lane ${lane.subject}/${lane.audience} is not dense up to its head`);
    }
  }
  const known = new Set(versions.map((version) => `${version.uri}/v${version.version}`));
  for (const [index, { position, uri, version }] of journal.entries()) {
    if (position !== index + 1) faults.push(`the journal has ${position} in place ${index + 1}`);
    if (!known.delete(`${uri}/v${version}`))
      faults.push(`the journal names ${uri}/v${version}, which is not there`);
  }
  faults.push(...[...known].map((uri) => `the journal lacks ${uri}`));
  const brokenRow = replayAudit(audit.rows);
  if (brokenRow !== null) faults.push(`the audit log is broken at ${brokenRow}`);
  const accepted = audit.rows.filter((row) => row.outcome === 'accepted').length;
  if (accepted !== versions.length)
    faults.push(`${accepted} accepted attempts for ${versions.length} versions`);
  return faults;
}

function sameLane(version: FactVersion, lane: Pick<FactVersion, 'subject' | 'audience'>): boolean {
  return version.subject === lane.subject && version.audience === lane.audience;
}
