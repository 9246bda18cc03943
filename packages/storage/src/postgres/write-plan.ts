import {
  type Append,
  type AppendOutcome,
  type AuditEntry,
  epochMs,
  type FactVersion,
  type Instant,
  instant,
  type Lane,
  type Nonce,
  type Position,
  type RequestKey,
} from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import type { WritingKey } from '../keys/key-ring.ts';
import { answerRow, requestIndex } from '../rows/answer-rows.ts';
import { type CellInput, numberOf, type Row, textOf } from '../rows/cells.ts';
import { dataKeyRow } from '../rows/data-key-rows.ts';
import { openName, sealName } from '../rows/name-rows.ts';
import { sealCells } from '../rows/seal-cells.ts';
import { topicIndex, versionRow } from '../rows/version-rows.ts';
import type { Command, Tables } from '../stores/tables.ts';
import { createAuditPlan } from './audit-plan.ts';
import { insertRows } from './insert-rows.ts';
import type { Heads } from './load-heads.ts';
import { together } from './together.ts';

/** How an append was decided; `other_key` when its new key is not the one the subject has by now. */
export type AppendStep = AppendOutcome | { readonly kind: 'other_key' };

/** What a group of writes comes to. Each sees what those before it planned. */
export interface WritePlan {
  append(writing: WritingKey, entry: Append): AppendStep;
  record(audit: AuditEntry, nonce: Nonce | null): 'recorded' | 'replayed';
  count(audit: AuditEntry): void;
  /** Whether anything was added to the journal. */
  hasAppended(): boolean;
  /** What is to be written. */
  commands(): readonly Command[];
}

const REMEMBERED_MS = 24 * 60 * 60 * 1000;
// More than one, so that the tables shrink; few, so that no write pays for a long silence.
const FORGOTTEN_AT_ONCE = 16;

type Cells = Record<string, CellInput>;

/** A plan over what is there. Nothing in it waits: between what is read and what is written there is no other turn. */
export function createWritePlan(db: Tables, heads: Heads, storeKey: RecordKey): WritePlan {
  const audit = createAuditPlan(db, heads, storeKey);
  const facts = new Map(heads.facts.map((row) => [keyOf(row.subject, row.topic_index), row]));
  const lanes = new Map(heads.lanes.map((row) => [keyOf(row.subject, row.audience), row]));
  const keys = new Map(heads.savedKeys);
  const nonces = new Set(heads.nonces);
  const requests = new Set(heads.requests.map((index) => keyOf(index)));
  let position = heads.position;

  const newKeys: Cells[] = [];
  const newFacts = new Map<string, Cells>();
  const movedFacts = new Map<string, Cells>();
  const movedLanes = new Map<string, Cells>();
  const versions: Cells[] = [];
  const journal: Cells[] = [];
  const newNonces: Cells[] = [];
  const answers: Cells[] = [];
  // Before which time signatures may be forgotten, and answers.
  let [nonceEnd, answerEnd] = ['', ''];

  const isUsed = ({ id, expiresAt }: Nonce): boolean =>
    nonces.has(id) || expiresAt <= heads.noncesForgottenUntil;

  function use({ id, expiresAt }: Nonce, at: Instant): void {
    nonces.add(id);
    newNonces.push({ id, expires_at: expiresAt });
    // A lane's time can run ahead of the clock for long, after one write by a clock that was wrong. A signature that
    // was just accepted bounds it.
    const before = instant(Math.min(epochMs(at), epochMs(expiresAt)) - REMEMBERED_MS);
    if (before > nonceEnd) nonceEnd = before;
  }

  function remember(request: RequestKey, row: Cells, at: Instant): void {
    requests.add(keyOf(row.id_index));
    answers.push(row);
    const now = instant(Math.min(epochMs(at), epochMs(request.expiresAt)));
    if (now > answerEnd) answerEnd = now;
  }

  function write({ key }: WritingKey, index: Uint8Array, version: FactVersion, quiet: boolean): () => void {
    const { subject, audience } = version;
    const [factKey, laneKey] = [keyOf(subject, index), keyOf(subject, audience)];
    const versionCells = versionRow(key, index, (position + 1) as Position, version);
    const name = version.version === 1 ? sealCells(sealName(key, { ...version, index })) : null;
    const { position: at, topic_index, kind, written_at } = versionCells;
    const head = { head_version: version.version, head_hash: version.versionHash };
    return () => {
      position += 1;
      versions.push(versionCells);
      journal.push({
        position: at ?? null,
        subject,
        topic_index: topic_index ?? null,
        version: version.version,
        audience,
        kind: kind ?? null,
        written_at: written_at ?? null,
        quiet: quiet ? 1 : 0,
      });
      const lane = { subject, audience, ordinal: version.laneOrdinal, written_at: version.writtenAt };
      lanes.set(laneKey, lane);
      movedLanes.set(laneKey, lane);
      if (name !== null) newFacts.set(factKey, { subject, topic_index: index, audience, ...head, ...name });
      else if (newFacts.has(factKey)) newFacts.set(factKey, { ...newFacts.get(factKey), ...head });
      else movedFacts.set(factKey, { subject, topic_index: index, ...head });
      facts.set(factKey, { ...facts.get(factKey), subject, topic_index: index, audience, ...head, ...name });
    };
  }

  return {
    append(writing, { version, quiet, audit: entry, nonce, request }) {
      if (nonce !== null && isUsed(nonce)) return { kind: 'replayed' };
      const { key, unsaved } = writing;
      const saved = keys.get(version.subject);
      if (unsaved !== null && saved !== undefined && saved !== unsaved.id) return { kind: 'other_key' };
      const index = topicIndex(key, version.topic);
      const fact = facts.get(keyOf(version.subject, index));
      const headHash = fact === undefined ? null : textOf(fact.head_hash);
      if (headHash !== version.prevHash || !isNext(lanes.get(laneKeyOf(version)), version)) {
        return { kind: 'moved' };
      }
      if (request !== null && requests.has(keyOf(requestIndex(storeKey, request.id))))
        return { kind: 'moved' };
      assertSuccessor(key, fact, version);
      // Whatever may still be refused is, before anything is planned.
      const planned = [write(writing, index, version, quiet), audit.add(entry)];
      const answer = request && answerRow(storeKey, request, version, index);
      for (const plan of planned) plan();
      if (unsaved !== null && saved === undefined) {
        keys.set(version.subject, unsaved.id);
        newKeys.push(dataKeyRow(unsaved, entry.at));
      }
      if (nonce !== null) use(nonce, entry.at);
      if (request !== null && answer !== null) remember(request, answer, entry.at);
      return { kind: 'appended', position: position as Position };
    },
    record(entry, nonce) {
      if (nonce !== null && isUsed(nonce)) return 'replayed';
      audit.add(entry)();
      if (nonce !== null) use(nonce, entry.at);
      return 'recorded';
    },
    count: (entry) => audit.count(entry),
    hasAppended: () => versions.length > 0,
    commands() {
      const rows: [string, readonly Cells[], string?][] = [
        ['data_keys', newKeys],
        ['facts', [...newFacts.values()]],
        ['versions', versions],
        ['journal', journal],
        ['lanes', [...movedLanes.values()], MOVE_LANE],
        ['nonces', newNonces],
        ['answered_requests', answers],
        ['audit', audit.rows()],
        ['audit_counts', audit.counts(), ADD_COUNT],
      ];
      const inserts = rows.filter(([, { length }]) => length > 0).map((each) => insertRows(...each));
      if (movedFacts.size > 0) inserts.push(moveFacts([...movedFacts.values()]));
      if (position > heads.position) inserts.push({ sql: MOVE_HEAD, cells: { position } });
      if (answerEnd !== '') inserts.push({ sql: FORGET_ANSWERS, cells: { now: answerEnd } });
      const isForgetful = heads.oldestNonce !== null && heads.oldestNonce < nonceEnd;
      return [
        ...audit.drops(),
        ...(inserts.length === 0 ? [] : [together(inserts)]),
        ...(isForgetful ? [{ sql: FORGET_NONCES, cells: { before: nonceEnd } }] : []),
      ];
    },
  };
}

const MOVE_HEAD = 'UPDATE journal_head SET position = :position';
const MOVE_LANE = `ON CONFLICT (subject, audience) DO UPDATE SET ordinal = excluded.ordinal,
  written_at = excluded.written_at`;
const ADD_COUNT = `ON CONFLICT (at, attempt_index) DO UPDATE SET attempts = audit_counts.attempts + excluded.attempts`;
// What was forgotten cannot be told from what never came, so all of that time counts as used: a clock that was wrong
// by days and set right must not make an old signature good again.
const FORGET_NONCES = `
  WITH gone AS (
    DELETE FROM nonces WHERE id IN
      (SELECT id FROM nonces WHERE expires_at < :before ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})
    RETURNING expires_at)
  INSERT INTO meta (key, value)
  SELECT 'nonces_forgotten_until', convert_to(max(expires_at), 'UTF8') FROM gone HAVING count(*) > 0
  ON CONFLICT (key) DO UPDATE SET value = greatest(meta.value, excluded.value)`;
const FORGET_ANSWERS = `
  DELETE FROM answered_requests WHERE id_index IN
    (SELECT id_index FROM answered_requests WHERE expires_at < :now ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`;

function moveFacts(rows: readonly Cells[]): Command {
  const { cells } = insertRows('facts', rows);
  return {
    sql: `UPDATE facts f SET head_version = m.head_version, head_hash = m.head_hash
      FROM json_populate_recordset(NULL::facts, :rows::json) m
      WHERE f.subject = m.subject AND f.topic_index = m.topic_index`,
    cells,
  };
}

function isNext(lane: Row | undefined, { laneOrdinal, writtenAt }: FactVersion): boolean {
  return Number(lane?.ordinal ?? 0) + 1 === laneOrdinal && textOf(lane?.written_at) <= writtenAt;
}

// Whoever names the head has seen it, so this is never a lost race.
function assertSuccessor(
  key: RecordKey,
  fact: Row | undefined,
  { version, uri, audience }: FactVersion,
): void {
  const number = fact === undefined ? 1 : numberOf(fact.head_version) + 1;
  if (version !== number) throw new Error(`version ${version} was appended where ${number} follows`);
  if (fact === undefined) return;
  const named = openName(key, fact)?.uri;
  if (audience !== textOf(fact.audience) || (named !== undefined && uri !== named)) {
    throw new Error("a fact's URI and audience never change after its first version");
  }
}

const laneKeyOf = ({ subject, audience }: Lane): string => keyOf(subject, audience);

function keyOf(...parts: readonly unknown[]): string {
  const text = (part: unknown): string =>
    part instanceof Uint8Array ? Buffer.from(part).toString('hex') : String(part);
  return parts.map(text).join(' ');
}
