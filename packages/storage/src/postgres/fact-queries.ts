import type { Audience, ChainPage, FactKey, FactVersion, StoredChain } from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { bytesOf, type Cell, type Cells, numberOf, type Row, textOf } from '../rows/cells.ts';
import type { NamedFact } from '../rows/subject-names.ts';
import { sealOf, topicIndex, unreadableVersion, versionOf } from '../rows/version-rows.ts';
import type { Tables } from '../stores/tables.ts';
import { jsonRows } from './json-rows.ts';

/**
 * Reads of facts and their versions. A version that does not open is an error, never an absent one: whoever
 * asks would believe that nothing was said. Each is one statement, so that no write comes between.
 */
export interface FactQueries {
  audienceOf(key: RecordKey, fact: FactKey): Promise<Audience | null>;
  headFor(key: RecordKey, fact: FactKey, audience: Audience): Promise<FactVersion | null>;
  version(key: RecordKey, fact: FactKey, version: number | null): Promise<FactVersion | null>;
  chain(key: RecordKey, fact: FactKey, page: ChainPage): Promise<StoredChain>;
  withdrawnThrough(key: RecordKey, fact: FactKey): Promise<number>;
  /** The heads of these facts, in their order. */
  heads(facts: readonly (NamedFact & { readonly of: { readonly key: RecordKey } })[]): Promise<FactVersion[]>;
}

const OF_FACT = 'subject = :subject AND topic_index = :index';
const HEAD_OF_FACT = 'v.subject = f.subject AND v.topic_index = f.topic_index AND v.version = f.head_version';
// What the store says the head is stands beside what is there of it, and of a version that was asked for.
const BESIDE_HEAD = `
  FROM (SELECT 1) AS always
    LEFT JOIN (SELECT head_version, head_hash, audience AS is_for FROM facts WHERE ${OF_FACT}) f ON true`;
const VERSION = `
  SELECT f.*, v.*, w.version AS first ${BESIDE_HEAD}
    LEFT JOIN (SELECT * FROM versions WHERE ${OF_FACT}) v
      ON v.version = coalesce(:version::int, f.head_version) AND (:audience::text IS NULL OR f.is_for = :audience)
    LEFT JOIN (SELECT version FROM versions WHERE ${OF_FACT}) w ON w.version = 1`;
const CHAIN = `
  SELECT f.*, v.* ${BESIDE_HEAD}
    LEFT JOIN (SELECT * FROM versions WHERE ${OF_FACT} AND version > :after ORDER BY version LIMIT :limit) v
      ON true
  ORDER BY v.version`;
const WITHDRAWN = `SELECT max(version) AS version FROM versions WHERE ${OF_FACT} AND kind = 'withdraw'`;
// Both are looked up whether or not the first is found, so that an answer takes no longer for a fact that is there.
const AUDIENCE = `
  SELECT (SELECT audience FROM facts WHERE ${OF_FACT}) AS audience,
    (SELECT count(*) FROM (SELECT 1 FROM versions WHERE ${OF_FACT} LIMIT 1) AS one) AS written`;
const HEADS = `
  SELECT w.subject AS wanted_subject, w.topic_index AS wanted_index, v.*
  FROM json_to_recordset(:wanted::json) AS w (subject text, topic_index bytea)
    JOIN facts f USING (subject, topic_index) LEFT JOIN versions v ON ${HEAD_OF_FACT}`;

/** The facts' reads on a database. */
export function createFactQueries(db: Tables, sealedBy: Pick<KeyRing, 'provider' | 'keyId'>): FactQueries {
  const cells = (key: RecordKey, { subject, topic }: FactKey): Cells => ({
    subject,
    index: topicIndex(key, topic),
  });

  function opened(key: RecordKey, row: Row): FactVersion {
    const version = versionOf(key, row);
    if (version === null) throw db.damaged();
    return version;
  }

  return {
    async audienceOf(key, fact) {
      const [row] = await db.select(AUDIENCE, cells(key, fact));
      if (typeof row?.audience === 'string') return row.audience as Audience;
      // Its row is lost and its versions are not: absent would be a lie.
      if (numberOf(row?.written) > 0) throw db.damaged();
      return null;
    },
    async headFor(key, fact, audience) {
      const [row = {}] = await db.select(VERSION, { ...cells(key, fact), audience });
      if (row.version_hash !== null) return opened(key, row);
      const isKnown = row.head_version !== null;
      if (isKnown ? row.is_for === audience : row.first !== null) throw db.damaged();
      return null;
    },
    async version(key, fact, version) {
      const [row = {}] = await db.select(VERSION, { ...cells(key, fact), version });
      if (row.version_hash !== null) return opened(key, row);
      // One that the store does not know of is null; one that it has lost is an error.
      const isKnown = row.head_version !== null;
      const isOfChain = version === null ? isKnown : version >= 1 && version <= numberOf(row.head_version);
      if (isOfChain || (row.first !== null && version === null)) throw db.damaged();
      return null;
    },
    async chain(key, fact, page) {
      const rows = await db.select(CHAIN, { ...cells(key, fact), ...page });
      const [first] = rows;
      const isKnown = first !== undefined && first.head_version !== null;
      const stored = rows.filter(({ version_hash }) => version_hash !== null);
      return {
        head: isKnown
          ? { version: numberOf(first.head_version), versionHash: textOf(first.head_hash) }
          : null,
        versions: stored.map((row) => versionOf(key, row) ?? unreadableVersion(row)),
        seals: stored.map((row) => sealOf(row, sealedBy)),
      };
    },
    async withdrawnThrough(key, fact) {
      const [row] = await db.select(WITHDRAWN, cells(key, fact));
      return Number(row?.version ?? 0);
    },
    async heads(facts) {
      if (facts.length === 0) return [];
      const wanted = jsonRows(facts.map(({ subject, index }) => ({ subject, topic_index: index })));
      const rows = await db.select(HEADS, { wanted });
      const keyed = new Map(rows.map((row) => [keyOf(row.wanted_subject, row.wanted_index), row]));
      return facts.flatMap(({ subject, index, of }) => {
        const row = keyed.get(keyOf(subject, index));
        return row === undefined ? [] : [opened(of.key, row)];
      });
    },
  };
}

function keyOf(subject: Cell, index: Cell): string {
  return `${textOf(subject)} ${Buffer.from(bytesOf(index)).toString('hex')}`;
}
