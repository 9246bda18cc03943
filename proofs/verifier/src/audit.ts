import { canonicalJson } from './canonical-json.ts';
import type { Attempt } from './records.ts';
import { sha256 } from './tuple.ts';

const FORMAT = 'unsay-audit/1';
const WORD = /^[a-z][a-z_]{0,31}$/;
const NAME = '[a-z0-9][a-z0-9_-]{0,63}';
const BARE_URI = new RegExp(`^[a-z][a-z0-9-]{0,63}://${NAME}/${NAME}$`);

/** A row of the audit log in its chain. */
export interface AuditRow extends Attempt {
  readonly prevHash: string | null;
  readonly hash: string;
}

/** What is wrong with a row that follows the one of hash `before`, or null. */
export function faultOfRow(row: AuditRow, before: string | null): string | null {
  const { at, actor, uri, outcome, reason, via, count, prevHash } = row;
  if (prevHash !== before) return 'does not follow the row before it';
  const linked = { format: FORMAT, at, actor, uri, outcome, reason, via, count, prevHash };
  if (sha256(canonicalJson(linked)) !== row.hash) return 'has another hash than its content';
  return faultOfAttempt(row);
}

/** What is wrong with an attempt by itself, or null. */
export function faultOfAttempt({ uri, outcome, reason, via, count }: Attempt): string | null {
  if (outcome !== 'accepted' && outcome !== 'refused') return 'is neither accepted nor refused';
  if (!WORD.test(via) || (reason !== null && !WORD.test(reason))) return 'has a free text for a word';
  if (uri !== null && !BARE_URI.test(uri)) return 'has a free text for a URI';
  return count >= 1 ? null : 'counts nothing';
}
