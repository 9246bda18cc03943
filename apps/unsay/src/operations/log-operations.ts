import { type AuditRow, type FactVersion, replayAudit } from '@unsay/live-resources';
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

/** `unsay verify`: replays every chain of the store. */
export const verifyStore: Operation = async ({ live, operator }) => {
  let chains = 0;
  let versions = 0;
  const broken: { uri: string; version: number }[] = [];
  for await (const chain of live.verify(operator, { subject: null, topic: null })) {
    chains += 1;
    versions += chain.versions.length;
    if (!chain.verdict.intact) broken.push({ uri: chain.uri, version: chain.verdict.brokenAt });
  }
  return {
    ok: broken.length === 0,
    data: { intact: broken.length === 0, chains, versions, erased: 0, broken },
  };
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
