import { type AuditRow, replayAudit } from '@unsay/live-resources';
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

/** `unsay pair`: a fresh one-time address of a page. Codes live in the running server. */
export const pairPage: Operation = async (folder: OpenFolder, parameters) =>
  folder.hooks.pair(parameters.page);
