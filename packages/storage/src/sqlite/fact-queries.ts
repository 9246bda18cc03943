import type {
  Audience,
  ChainHead,
  ChainPage,
  FactKey,
  FactPage,
  FactVersion,
  Seal,
} from '@unsay/live-resources';
import type { RecordKey } from '../envelope/record-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { numberOf, type Row, textOf } from '../rows/cells.ts';
import type { NamedFact } from '../rows/subject-names.ts';
import { sealOf, topicIndex, unreadableVersion, versionOf } from '../rows/version-rows.ts';
import type { SqliteDatabase } from './database.ts';
import type { Directory } from './directory.ts';
import type { KnownHeads } from './known-heads.ts';
import { isDamage, refusal } from './sqlite-errors.ts';
import type { VersionCache } from './version-cache.ts';

/** A subject whose key is open. */
export interface OpenSubject {
  readonly subject: string;
  readonly key: RecordKey;
}

/**
 * Reads of facts and their versions. A version that does not open is an error, never an absent one: whoever
 * asks would believe that nothing was said.
 */
export interface FactQueries {
  audienceOf(key: RecordKey, fact: FactKey): Audience | null;
  headFor(key: RecordKey, fact: FactKey, audience: Audience): FactVersion | null;
  version(key: RecordKey, fact: FactKey, version: number | null): FactVersion | null;
  chainHead(key: RecordKey, fact: FactKey): ChainHead | null;
  /** Every version of a page, those that do not open as what is known of them in clear. */
  versions(
    key: RecordKey,
    fact: FactKey,
    page: ChainPage,
  ): { readonly version: FactVersion; readonly seal: Seal | null }[];
  withdrawnThrough(key: RecordKey, fact: FactKey): number;
  names(subjects: readonly OpenSubject[], page: Omit<FactPage, 'subjects'>): NamedFact[];
  list(subjects: readonly OpenSubject[], page: Omit<FactPage, 'subjects'>): FactVersion[];
}

const OF_FACT = 'subject = :subject AND topic_index = :index';

/** The facts' reads on a database. */
export function createFactQueries(
  db: SqliteDatabase,
  sealedBy: Pick<KeyRing, 'provider' | 'keyId'>,
  directory: Directory,
  cache: VersionCache,
  heads: KnownHeads,
): FactQueries {
  // A fact whose newest row was removed gives a row of nulls, which does not open: an older version must not
  // pass for the head.
  const head = db.prepare(`
    SELECT f.head_version, v.* FROM facts f
      LEFT JOIN versions v ON v.subject = f.subject AND v.topic_index = f.topic_index AND v.version = f.head_version
    WHERE f.subject = :subject AND f.topic_index = :index`);
  const numbered = db.prepare(`SELECT * FROM versions WHERE ${OF_FACT} AND version = :version`);
  const page = db.prepare(
    `SELECT * FROM versions WHERE ${OF_FACT} AND version > :after ORDER BY version LIMIT :limit`,
  );
  const said = db.prepare(`SELECT head_version, head_hash FROM facts WHERE ${OF_FACT}`);
  const withdrawn = db.prepare(
    `SELECT max(version) AS version FROM versions WHERE ${OF_FACT} AND kind = 'withdraw'`,
  );
  // Both are looked up whether or not the first is found, so that an answer takes no longer for a fact that is there.
  const audience = db.prepare(`
    SELECT (SELECT audience FROM facts WHERE ${OF_FACT}) AS audience,
      EXISTS (SELECT 1 FROM versions WHERE ${OF_FACT}) AS written`);

  const cells = (key: RecordKey, { subject, topic }: FactKey) => ({ subject, index: topicIndex(key, topic) });
  function opened(key: RecordKey, row: Row): FactVersion {
    const version = versionOf(key, row);
    if (version === null) throw refusal('damaged', db.file);
    return version;
  }

  type Cells = ReturnType<typeof cells>;

  function chainHead(at: Cells): ChainHead | null {
    const row = said.get(at);
    return row === undefined
      ? null
      : { version: numberOf(row.head_version), versionHash: textOf(row.head_hash) };
  }

  /** Null, for a version that the store does not know of; one that it has lost is an error. */
  function assertNeverWritten(at: Cells, version: number | null): null {
    const written = version === null ? numbered.get({ ...at, version: 1 }) : undefined;
    const isOfChain = version !== null && version >= 1 && version <= (chainHead(at)?.version ?? 0);
    if (isOfChain || written !== undefined) throw refusal('damaged', db.file);
    return null;
  }

  /** A fact's rows, up to the first that cannot be read: one lost page would hide them all from a scan. */
  function rowsOf(at: Cells, { after, limit }: ChainPage): Row[] {
    try {
      return page.all({ ...at, after, limit });
    } catch (error) {
      if (!isDamage(error, db.file)) throw error;
    }
    const rows: Row[] = [];
    try {
      for (let version = after + 1; version <= after + limit; version += 1) {
        const row = numbered.get({ ...at, version });
        if (row === undefined) return rows;
        rows.push(row);
      }
      return rows;
    } catch (error) {
      if (!isDamage(error, db.file)) throw error;
      return rows;
    }
  }

  // The head is what the store says it is, now: only its words need not be opened again.
  function cachedHead(at: Cells, fact: FactKey): FactVersion | null {
    const stored = chainHead(at);
    const cached = stored && cache.get(fact, stored.version);
    return cached?.versionHash === stored?.versionHash ? cached : null;
  }

  function names(
    subjects: readonly OpenSubject[],
    { after, audiences, limit }: Omit<FactPage, 'subjects'>,
  ): (NamedFact & { readonly key: RecordKey })[] {
    const found = subjects.flatMap(({ subject, key }) => {
      const known = directory.of(subject, key);
      // A page that silently lacks a fact would be believed.
      if (known.incomplete) throw refusal('damaged', db.file);
      return known.after(after, audiences, limit).map((fact) => ({ ...fact, key }));
    });
    return found.sort((a, b) => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0)).slice(0, limit);
  }

  function audienceOf(key: RecordKey, fact: FactKey): Audience | null {
    const row = audience.get(cells(key, fact));
    if (typeof row?.audience === 'string') return row.audience as Audience;
    // Its row is lost and its versions are not: absent would be a lie.
    if (row?.written === 1n) throw refusal('damaged', db.file);
    return null;
  }

  function version(key: RecordKey, fact: FactKey, number: number | null): FactVersion | null {
    const known = number === null ? null : cache.get(fact, number);
    if (known !== null) return known;
    const at = cells(key, fact);
    const cached = number === null ? cachedHead(at, fact) : null;
    if (cached !== null) return cached;
    const row = number === null ? head.get(at) : numbered.get({ ...at, version: number });
    if (row === undefined) return assertNeverWritten(at, number);
    const found = opened(key, row);
    cache.put(found);
    return found;
  }

  return {
    audienceOf,
    headFor(key, fact, asked) {
      const known = heads.get(fact, asked);
      if (known === null) return null;
      const cached = known === undefined ? null : cache.get(fact, known.version);
      if (cached !== null && cached.versionHash === known?.versionHash) return cached;
      const found = audienceOf(key, fact) === asked ? version(key, fact, null) : null;
      heads.set(fact, asked, found);
      return found;
    },
    version,
    chainHead: (key, fact) => chainHead(cells(key, fact)),
    versions: (key, fact, page) =>
      rowsOf(cells(key, fact), page).map((row) => ({
        version: versionOf(key, row) ?? unreadableVersion(row),
        seal: sealOf(row, sealedBy),
      })),
    withdrawnThrough: (key, fact) => Number(withdrawn.get(cells(key, fact))?.version ?? 0),
    names,
    list: (subjects, page) =>
      names(subjects, page).flatMap(({ subject, index, key }) => {
        const row = head.get({ subject, index });
        return row === undefined ? [] : [opened(key, row)];
      }),
  };
}
