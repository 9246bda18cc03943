import {
  type Append,
  type AppendOutcome,
  BEGINNING,
  type FactVersion,
  type Instant,
  type Position,
} from '@unsay/live-resources';
import type { WritingKey } from '../keys/key-ring.ts';
import { numberOf, type Row, textOf } from '../rows/cells.ts';
import { dataKeyRow, INSERT_DATA_KEY } from '../rows/data-key-rows.ts';
import { sealName } from '../rows/name-rows.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS, sealCells } from '../rows/seal-cells.ts';
import { topicIndex, versionRow } from '../rows/version-rows.ts';
import type { AnsweredRequests } from './answered-requests.ts';
import type { AuditLog } from './audit-log.ts';
import type { SqliteDatabase, Statement } from './database.ts';
import type { Directory } from './directory.ts';
import type { Nonces } from './nonces.ts';

/** How an append in a transaction ended; `other_key` when its new key is not the one the subject has by now. */
export type AppendStep = AppendOutcome | { readonly kind: 'other_key' };

/** Parts of the store that an append writes to besides. */
export interface AppendParts {
  readonly log: AuditLog;
  readonly nonces: Nonces;
  readonly requests: AnsweredRequests;
  readonly directory: Directory;
}

/**
 * The compare-and-swap of an append. It is called inside a transaction and decides before it writes, so an
 * outcome other than `appended` has written nothing and several appends can share one transaction.
 */
export function createAppender(
  db: SqliteDatabase,
  { log, nonces, requests, directory }: AppendParts,
): (writing: WritingKey, entry: Append) => AppendStep {
  const selectFact = db.prepare('SELECT * FROM facts WHERE subject = :subject AND topic_index = :index');
  const selectLane = db.prepare(
    'SELECT ordinal, written_at FROM lanes WHERE subject = :subject AND audience = :audience',
  );
  const newest = db.prepare('SELECT max(position) AS position FROM journal');
  const lastPosition = db.keep(() => Number(newest.get()?.position ?? BEGINNING));
  const savedKey = db.prepare('SELECT id FROM data_keys WHERE subject = :subject');
  const insertKey = db.prepare(INSERT_DATA_KEY);
  const statements = preparedFor(db);

  /** Whether the key is the subject's, or may become it. */
  function isTheirs({ unsaved }: WritingKey): boolean {
    const stored = unsaved && savedKey.get({ subject: unsaved.subject });
    return !stored || textOf(stored.id) === unsaved?.id;
  }

  function saveKey({ unsaved }: WritingKey, at: Instant): void {
    if (unsaved !== null && savedKey.get({ subject: unsaved.subject }) === undefined) {
      insertKey.run(dataKeyRow(unsaved, at));
    }
  }

  return (writing, { version, quiet, audit, nonce, request }) => {
    if (nonce !== null && nonces.used(nonce)) return { kind: 'replayed' };
    if (!isTheirs(writing)) return { kind: 'other_key' };
    const { subject, topic, audience } = version;
    const index = topicIndex(writing.key, topic);
    const fact = selectFact.get({ subject, index });
    const headHash = fact === undefined ? null : textOf(fact.head_hash);
    if (headHash !== version.prevHash || !isNext(selectLane.get({ subject, audience }), version))
      return { kind: 'moved' };
    if (request !== null && requests.find(request.id) !== null) return { kind: 'moved' };
    assertSuccessor(fact, fact && directory.nameOf(writing.key, fact)?.uri, version);
    const position = (lastPosition.get() + 1) as Position;
    saveKey(writing, audit.at);
    log.add(audit);
    if (nonce !== null) nonces.use(nonce, audit.at);
    if (request !== null) requests.remember(request, version, index, audit.at);
    write(statements, writing, index, position, version, quiet);
    lastPosition.set(position);
    return { kind: 'appended', position };
  };
}

function isNext(lane: Row | undefined, { laneOrdinal, writtenAt }: FactVersion): boolean {
  return Number(lane?.ordinal ?? 0) + 1 === laneOrdinal && textOf(lane?.written_at) <= writtenAt;
}

// Whoever names the head has seen it, so this is never a lost race.
function assertSuccessor(
  fact: Row | undefined,
  named: string | undefined,
  { version, uri, audience }: FactVersion,
): void {
  const number = fact === undefined ? 1 : numberOf(fact.head_version) + 1;
  if (version !== number) throw new Error(`version ${version} was appended where ${number} follows`);
  if (fact === undefined) return;
  if (audience !== textOf(fact.audience) || (named !== undefined && uri !== named)) {
    throw new Error("a fact's URI and audience never change after its first version");
  }
}

type Prepared = Readonly<Record<'createFact' | 'moveFact' | 'moveLane' | 'version' | 'journal', Statement>>;

function preparedFor(db: SqliteDatabase): Prepared {
  return {
    createFact: db.prepare(`
      INSERT INTO facts (subject, topic_index, audience, head_version, head_hash, ${SEAL_COLUMNS})
      VALUES (:subject, :topic_index, :audience, :version, :hash, ${SEAL_PARAMETERS})`),
    moveFact: db.prepare(`
      UPDATE facts SET head_version = :version, head_hash = :hash
      WHERE subject = :subject AND topic_index = :topic_index`),
    moveLane: db.prepare(`
      INSERT INTO lanes (subject, audience, ordinal, written_at)
      VALUES (:subject, :audience, :ordinal, :written_at)
      ON CONFLICT (subject, audience) DO UPDATE SET ordinal = excluded.ordinal, written_at = excluded.written_at`),
    version: db.prepare(`
      INSERT INTO versions (position, subject, topic_index, version, audience, lane_ordinal, kind, written_at,
        stale_after, prev_hash, version_hash, ${SEAL_COLUMNS})
      VALUES (:position, :subject, :topic_index, :version, :audience, :lane_ordinal, :kind, :written_at,
        :stale_after, :prev_hash, :version_hash, ${SEAL_PARAMETERS})`),
    journal: db.prepare(`
      INSERT INTO journal (position, subject, topic_index, version, audience, kind, written_at, quiet)
      VALUES (:position, :subject, :topic_index, :version, :audience, :kind, :written_at, :quiet)`),
  };
}

function write(
  to: Prepared,
  { key }: WritingKey,
  index: Uint8Array,
  position: Position,
  version: FactVersion,
  quiet: boolean,
): void {
  const { subject, audience, kind } = version;
  const fact = { subject, topic_index: index };
  const head = { ...fact, version: version.version, hash: version.versionHash };
  if (version.version === 1) {
    const name = sealName(key, { ...version, index });
    to.createFact.run({ ...head, audience, ...sealCells(name) });
  } else to.moveFact.run(head);
  to.moveLane.run({ subject, audience, ordinal: version.laneOrdinal, written_at: version.writtenAt });
  to.version.run(versionRow(key, index, position, version));
  to.journal.run({
    ...fact,
    position,
    version: version.version,
    audience,
    kind,
    written_at: version.writtenAt,
    quiet: quiet ? 1 : 0,
  });
}
