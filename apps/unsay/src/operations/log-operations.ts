import {
  type AuditRow,
  type FactVersion,
  type Lane,
  laneGaps,
  replayAudit,
  ruleOfAudience,
} from '@unsay/live-resources';
import type { OpenFolder } from '../open-folder.ts';
import type { Operation } from './operation.ts';

const PAGE = 1000;

/** `unsay audit`: every attempt to write, oldest first, with the floods that are still being counted. */
export const readAudit: Operation = async ({ live }) => {
  const rows: AuditRow[] = [];
  for (;;) {
    const { rows: page, counted } = await live.store.audit(rows.length, PAGE);
    rows.push(...page);
    if (page.length < PAGE) return { ok: true, data: { rows, counted, intact: replayAudit(rows) === null } };
  }
};

/** `unsay verify`: replays every chain of the store, and looks for places of a lane that no chain holds. */
export const verifyStore: Operation = async ({ live, operator }) => {
  const { partition, store } = live;
  const ordinals = new Map<string, number[]>();
  const ordinalsOf = ({ subject, audience }: Lane): number[] => {
    const key = `${audience}/${subject}`;
    const found = ordinals.get(key) ?? [];
    ordinals.set(key, found);
    return found;
  };
  let [chains, versions] = [0, 0];
  const broken: { uri: string; version: number }[] = [];
  for await (const chain of live.verify(operator, { subject: null, topic: null })) {
    chains += 1;
    versions += chain.versions.length;
    for (const version of chain.versions) ordinalsOf(version).push(version.laneOrdinal);
    if (!chain.verdict.intact) broken.push({ uri: chain.uri, version: chain.verdict.brokenAt });
  }
  const audiences = partition.rules.map((rule) => rule.audience);
  for (const gap of laneGaps(await store.lanes({ subjects: '*', audiences }), ordinalsOf)) {
    // Which fact stood there is not known any more: the lane is named, and the place in it.
    const scheme = ruleOfAudience(partition, gap.audience)?.scheme ?? gap.audience;
    broken.push({ uri: `${scheme}://${gap.subject}/`, version: gap.ordinal });
  }
  const intact = broken.length === 0;
  return { ok: intact, data: { intact, chains, versions, erased: 0, broken } };
};

/** `unsay export`: the versions of the store, each a line with its hash. */
export const exportStore: Operation = async ({ live, operator }) => {
  const lines: unknown[] = [];
  for await (const chain of live.verify(operator, { subject: null, topic: null }))
    lines.push(...chain.versions.map(exportLine));
  return { ok: true, data: { lines } };
};

function exportLine(version: FactVersion): unknown {
  const hex = (bytes: Uint8Array | null): string | null =>
    bytes === null ? null : Buffer.from(bytes).toString('hex');
  const salts = Object.fromEntries(Object.entries(version.salts).map(([name, salt]) => [name, hex(salt)]));
  const blob = version.blob && { ...version.blob, bytes: Buffer.from(version.blob.bytes).toString('base64') };
  return { type: 'version', ...version, blob, salts };
}

/** `unsay pair`: a fresh one-time address of a page. Codes live in the running server. */
export const pairPage: Operation = async (folder: OpenFolder, parameters) =>
  folder.hooks.pair(parameters.page);
