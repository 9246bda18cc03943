import type { Append, AppendOutcome, FactVersion, Position } from '@unsay/live-resources';
import type { AnsweredRequests } from './answered-requests.ts';
import type { AuditLog } from './audit-log.ts';
import { numberOf, textOf } from './cells.ts';
import type { Row, SqliteDatabase, Statement } from './database.ts';
import type { Nonces } from './nonces.ts';
import { versionRow } from './version-rows.ts';

/**
 * The compare-and-swap of an append. It is called inside a transaction and decides before it writes, so an
 * outcome other than `appended` has written nothing and several appends can share one transaction.
 */
export function createAppender(
  db: SqliteDatabase,
  log: AuditLog,
  nonces: Nonces,
  requests: AnsweredRequests,
): (entry: Append) => AppendOutcome {
  const selectFact = db.prepare(`
    SELECT uri, audience, head_version, head_hash FROM facts WHERE subject = :subject AND topic = :topic`);
  const selectLane = db.prepare(
    'SELECT ordinal FROM lanes WHERE subject = :subject AND audience = :audience',
  );
  const lastPosition = db.prepare('SELECT max(position) AS position FROM journal');
  const statements = writing(db);

  return ({ version, quiet, audit, nonce, request }) => {
    if (nonce !== null && nonces.used(nonce)) return { kind: 'replayed' };
    const { subject, topic, audience } = version;
    const fact = selectFact.get({ subject, topic });
    const ordinal = selectLane.get({ subject, audience })?.ordinal ?? 0;
    const headHash = fact === undefined ? null : textOf(fact.head_hash);
    if (headHash !== version.prevHash || Number(ordinal) + 1 !== version.laneOrdinal)
      return { kind: 'moved' };
    if (request !== null && requests.find(request.id) !== null) return { kind: 'moved' };
    assertSuccessor(fact, version);
    const position = Number(lastPosition.get()?.position ?? 0) + 1;
    log.add(audit);
    if (nonce !== null) nonces.use(nonce, audit.at);
    if (request !== null) requests.remember(request, version, audit.at);
    write(statements, position as Position, version, quiet);
    return { kind: 'appended', position: position as Position };
  };
}

// Whoever names the head has seen it, so this is never a lost race.
function assertSuccessor(fact: Row | undefined, { version, uri, audience }: FactVersion): void {
  const number = fact === undefined ? 1 : numberOf(fact.head_version) + 1;
  if (version !== number) throw new Error(`version ${version} was appended where ${number} follows`);
  if (fact !== undefined && (uri !== textOf(fact.uri) || audience !== textOf(fact.audience))) {
    throw new Error("a fact's URI and audience never change after its first version");
  }
}

type Writing = Readonly<Record<'createFact' | 'moveFact' | 'moveLane' | 'version' | 'journal', Statement>>;

function writing(db: SqliteDatabase): Writing {
  return {
    createFact: db.prepare(`
      INSERT INTO facts (uri, subject, topic, audience, head_version, head_hash)
      VALUES (:uri, :subject, :topic, :audience, :version, :hash)`),
    moveFact: db.prepare('UPDATE facts SET head_version = :version, head_hash = :hash WHERE uri = :uri'),
    moveLane: db.prepare(`
      INSERT INTO lanes (subject, audience, ordinal, written_at)
      VALUES (:subject, :audience, :ordinal, :written_at)
      ON CONFLICT (subject, audience) DO UPDATE SET ordinal = excluded.ordinal, written_at = excluded.written_at`),
    version: db.prepare(`
      INSERT INTO versions (position, uri, version, subject, topic, audience, lane_ordinal, kind, written_at,
        stale_after, prev_hash, version_hash, uri_salt, value_salt, author_salt, label_salt, attestation_salt,
        blob_salt, author_id, author_label, attestation, value, blob_media_type, blob_bytes)
      VALUES (:position, :uri, :version, :subject, :topic, :audience, :lane_ordinal, :kind, :written_at,
        :stale_after, :prev_hash, :version_hash, :uri_salt, :value_salt, :author_salt, :label_salt,
        :attestation_salt, :blob_salt, :author_id, :author_label, :attestation, :value, :blob_media_type,
        :blob_bytes)`),
    journal: db.prepare(`
      INSERT INTO journal (position, uri, version, subject, audience, kind, written_at, quiet)
      VALUES (:position, :uri, :version, :subject, :audience, :kind, :written_at, :quiet)`),
  };
}

function write(to: Writing, position: Position, version: FactVersion, quiet: boolean): void {
  const { uri, subject, topic, audience, kind } = version;
  const head = { uri, version: version.version, hash: version.versionHash };
  if (version.version === 1) to.createFact.run({ ...head, subject, topic, audience });
  else to.moveFact.run(head);
  to.moveLane.run({ subject, audience, ordinal: version.laneOrdinal, written_at: version.writtenAt });
  to.version.run(versionRow(position, version));
  to.journal.run({
    position,
    uri,
    version: version.version,
    subject,
    audience,
    kind,
    written_at: version.writtenAt,
    quiet: quiet ? 1 : 0,
  });
}
