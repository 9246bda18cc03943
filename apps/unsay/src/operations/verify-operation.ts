import { setImmediate } from 'node:timers/promises';
import { type Lane, laneGaps, ruleOfAudience, type VerifiedVersion } from '@unsay/live-resources';
import type { Operation } from './operation.ts';

// Parts of chains between which a running server answers others.
const AT_ONCE = 64;

/**
 * `unsay verify`: replays every chain of the store, and looks for places of a lane that no chain holds. What
 * is written meanwhile is looked at or not, and never taken for a fault.
 */
export const verifyStore: Operation = async ({ live, operator }) => {
  const { partition, store } = live;
  const everything = { subjects: '*', audiences: partition.rules.map((rule) => rule.audience) } as const;
  const before = await store.lanes(everything);
  const ordinals = createOrdinals();
  let [chains, versions] = [0, 0];
  const broken: { uri: string; version: number }[] = [];
  let parts = 0;
  for await (const part of live.verify(operator, { subject: null, topic: null })) {
    parts += 1;
    versions += part.versions.length;
    for (const version of part.versions) ordinals.add(version);
    if (parts % AT_ONCE === 0) await setImmediate();
    if (part.verdict === null) continue;
    chains += 1;
    if (!part.verdict.intact) broken.push({ uri: part.uri, version: part.verdict.brokenAt });
  }
  const after = new Map((await store.lanes(everything)).map((lane) => [laneName(lane), lane.ordinal]));
  // A version that came meanwhile stands between the two heads of its lane.
  const settled = before.map((lane) => ({ ...lane, later: after.get(laneName(lane)) ?? lane.ordinal }));
  for (const { later, ...lane } of settled) {
    const held = (): number[] =>
      ordinals.of(lane).filter((ordinal) => !(ordinal > lane.ordinal && ordinal <= later));
    for (const gap of laneGaps([lane], held)) {
      // Which fact stood there is not known any more: the lane is named, and the place in it.
      const scheme = ruleOfAudience(partition, gap.audience)?.scheme ?? gap.audience;
      broken.push({ uri: `${scheme}://${gap.subject}/`, version: gap.ordinal });
    }
  }
  const intact = broken.length === 0;
  return { ok: intact, data: { intact, chains, versions, erased: 0, broken } };
};

/** The ordinals that the versions of each lane have. */
function createOrdinals() {
  const found = new Map<string, number[]>();
  const of = (lane: Lane): number[] => {
    const ordinals = found.get(laneName(lane)) ?? [];
    found.set(laneName(lane), ordinals);
    return ordinals;
  };
  return { of, add: (version: VerifiedVersion): void => void of(version).push(version.laneOrdinal) };
}

function laneName({ subject, audience }: Lane): string {
  return `${audience}/${subject}`;
}
