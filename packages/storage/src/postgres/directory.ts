import type { FactPage, Lane, LaneHead } from '@unsay/live-resources';
import { createRecentlyUsed } from '../envelope/recently-used.ts';
import type { RecordKey } from '../envelope/record-key.ts';
import { bytesOf, type Row, textOf } from '../rows/cells.ts';
import { namedFact, nameInVersions, openName } from '../rows/name-rows.ts';
import { createSubjectNames, type NamedFact, type SubjectNames } from '../rows/subject-names.ts';
import type { Tables } from '../stores/tables.ts';

/** The names of facts. They are sealed, so each subject's are opened once and kept in memory. */
export interface Directory {
  /** The names of a subject, at least all that were there when its lanes had these heads. */
  of(subject: string, key: RecordKey, lanes: readonly (Lane & LaneHead)[]): Promise<SubjectNames>;
  /** The fact of an index, or null when its name is lost. */
  find(subject: string, key: RecordKey, index: Uint8Array): Promise<NamedFact | null>;
}

interface Kept {
  readonly names: SubjectNames;
  /** How far each lane was read for new facts, by audience. */
  readonly ordinals: Map<string, number>;
  /** The reading that is under way, so that no fact is added twice. */
  reading: Promise<void>;
}

// A few hundred bytes each.
const MOST_NAMES = 200_000;

// A first version makes its fact known, so new facts are found along the lane.
const NEW_FACTS = `
  SELECT f.* FROM versions v JOIN facts f ON f.subject = v.subject AND f.topic_index = v.topic_index
  WHERE v.subject = :subject AND v.audience = :audience AND v.lane_ordinal > :after AND v.version = 1
  ORDER BY v.lane_ordinal`;
const ALL_FACTS = 'SELECT * FROM facts WHERE subject = :subject';

/** The directory of a database that other processes write to as well. */
export function createDirectory(db: Tables): Directory {
  const single = createRecentlyUsed<NamedFact>(MOST_NAMES);
  const kept = createRecentlyUsed<Kept>(MOST_NAMES, ({ names }) => names.size + 1);

  async function named(key: RecordKey, row: Row): Promise<NamedFact | null> {
    const own = openName(key, row);
    if (own !== null) return namedFact(row, own);
    const index = bytesOf(row.topic_index);
    const sql = 'SELECT * FROM versions WHERE subject = :subject AND topic_index = :index';
    const versions = await db.select(sql, { subject: textOf(row.subject), index });
    const name = nameInVersions(key, index, versions);
    return name && namedFact(row, name);
  }

  async function add(names: SubjectNames, key: RecordKey, rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      // What was read of a lane may hold what the first reading of all facts has found already.
      if (names.byIndex(bytesOf(row.topic_index)) !== null) continue;
      const fact = await named(key, row);
      if (fact === null) names.addUnknown();
      else names.add(fact);
    }
  }

  async function readOn(at: Kept, key: RecordKey, lanes: readonly (Lane & LaneHead)[]): Promise<void> {
    for (const { subject, audience, ordinal } of lanes) {
      const after = at.ordinals.get(audience) ?? 0;
      if (after >= ordinal) continue;
      await add(at.names, key, await db.select(NEW_FACTS, { subject, audience, after }));
      at.ordinals.set(audience, ordinal);
    }
  }

  return {
    async of(subject, key, lanes) {
      let at = kept.get(subject);
      if (at === undefined) {
        const names = createSubjectNames();
        const ordinals = new Map(lanes.map(({ audience, ordinal }) => [audience as string, ordinal]));
        const reading = db.select(ALL_FACTS, { subject }).then((rows) => add(names, key, rows));
        at = { names, ordinals, reading };
      } else {
        const before = at;
        at.reading = at.reading.then(() => readOn(before, key, lanes));
      }
      kept.set(subject, at);
      try {
        await at.reading;
      } catch (error) {
        // What was read in part is not the whole.
        kept.delete(subject);
        throw error;
      }
      kept.set(subject, at);
      return at.names;
    },
    async find(subject, key, index) {
      const id = `${subject} ${Buffer.from(index).toString('hex')}`;
      const known = single.get(id);
      if (known !== undefined) return known;
      const sql = 'SELECT * FROM facts WHERE subject = :subject AND topic_index = :index';
      const [row] = await db.select(sql, { subject, index });
      const fact = row === undefined ? null : await named(key, row);
      if (fact !== null) single.set(id, fact);
      return fact;
    },
  };
}

/** A page of facts by name, of subjects whose names are open. */
export function pageOf<Subject extends { readonly names: SubjectNames }>(
  subjects: readonly Subject[],
  { after, audiences, limit }: Omit<FactPage, 'subjects'>,
): (NamedFact & { readonly of: Subject })[] {
  return subjects
    .flatMap((of) => of.names.after(after, audiences, limit).map((fact) => ({ ...fact, of })))
    .sort((a, b) => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0))
    .slice(0, limit);
}
