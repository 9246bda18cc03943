import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Instant } from './clock.ts';
import { parseFactUri } from './fact-uri.ts';

/**
 * A word of the audit log: 1 to 32 characters, `a` to `z` and `_`, beginning with a letter.
 *
 * The lists that such words come from are the application's. Literals, and unions of them, are of this type;
 * a `string` that came from anywhere else is not, so that no list can be opened by accident.
 */
export type AuditWord = Lowercase<string>;

/**
 * One attempt to write, accepted or refused.
 *
 * Nothing in it can carry a stranger's bytes: `actor` is a verified identity or null, `uri` is null unless
 * the attempt was authenticated and its URI parsed, and `reason` and `via` are words of closed lists.
 */
export interface AuditEntry {
  readonly at: Instant;
  readonly actor: string | null;
  /** The bare URI of a fact. */
  readonly uri: string | null;
  readonly outcome: 'accepted' | 'refused';
  /** Why it was refused, or what else there is to say of it. */
  readonly reason: AuditWord | null;
  /** How whoever tried was authenticated. */
  readonly via: AuditWord;
  /** How many attempts this row stands for: 1, or more where a flood was collapsed. */
  readonly count: number;
}

/** An entry in the log's own hash chain. */
export interface AuditRow extends AuditEntry {
  readonly prevHash: string | null;
  readonly hash: string;
}

// No digits: a key, a token or a hash has some.
const WORD = /^[a-z][a-z_]{0,31}$/;

/**
 * Links an entry to the row before it: SHA-256, in lower-case hex, of the RFC 8785 form of the entry and the
 * previous hash (docs/spec/export.md). Every store links its rows with it, so what it refuses is in no log.
 *
 * @throws Error when reason or via is not a word, or uri is not the bare URI of a fact: a free text there
 *   would let a stranger write the log.
 */
export function linkAudit(entry: AuditEntry, prevHash: string | null): AuditRow {
  for (const word of [entry.reason, entry.via]) {
    if (word !== null && !WORD.test(word)) throw new Error('an audit row takes only words of closed lists');
  }
  const { at, actor, uri, outcome, reason, via, count } = entry;
  if (uri !== null && !isBareUri(uri))
    throw new Error('an audit row names a fact by its bare URI or not at all');
  const linked = { at, actor, uri, outcome, reason, via, count, prevHash };
  const text = canonicalize({ format: 'unsay-audit/1', ...linked });
  if (text === undefined) throw new Error('an audit row that JSON cannot express');
  return { ...linked, hash: createHash('sha256').update(text).digest('hex') };
}

/** Replays the log, oldest first: the index of the first row that disagrees, or null when intact. */
export function replayAudit(rows: Iterable<AuditRow>): number | null {
  let prevHash: string | null = null;
  let index = 0;
  for (const row of rows) {
    if (row.prevHash !== prevHash || hashOf(row) !== row.hash) return index;
    prevHash = row.hash;
    index += 1;
  }
  return null;
}

function isBareUri(uri: string): boolean {
  return parseFactUri(uri)?.uri === uri;
}

function hashOf(row: AuditRow): string | null {
  try {
    return linkAudit(row, row.prevHash).hash;
  } catch {
    // A row that could never have been linked was not written by this log.
    return null;
  }
}
