import { type AuditEntry, type AuditRow, linkAudit } from '../src/audit.ts';
import type { JournalEntry, Position } from '../src/journal.ts';
import type { FactKey, Lane } from '../src/partition.ts';
import type {
  Append,
  AppendOutcome,
  CorrectionQuery,
  FactPage,
  Heads,
  LaneFilter,
  LaneHead,
  Nonce,
  StoredCorrection,
} from '../src/store.ts';
import type { FactVersion } from '../src/version.ts';

/**
 * A store in the plainest words: a list of what was accepted, a list of attempts and a set of nonces. Every
 * answer is worked out from these, so there is nothing in it that could disagree with itself.
 */
export interface StoreModel {
  append(entry: Append): AppendOutcome;
  record(entry: AuditEntry, nonce: Nonce | null): 'recorded' | 'replayed';
  countRefusal(entry: AuditEntry): void;
  /** The heads as they stood before the newest `back` versions of the fact and of the lane. */
  heads(fact: FactKey, lane: Lane, back?: { readonly fact: number; readonly lane: number }): Heads;
  versions(fact: FactKey): FactVersion[];
  list(page: FactPage): FactVersion[];
  lanes(filter: LaneFilter): (Lane & LaneHead)[];
  corrections(query: CorrectionQuery): StoredCorrection[];
  journal(): JournalEntry[];
  audit(): { readonly rows: AuditRow[]; readonly counted: AuditEntry[] };
}

/** An empty model. */
export function createStoreModel(): StoreModel {
  const accepted: Append[] = [];
  const attempts: AuditEntry[] = [];
  const nonces = new Set<string>();
  let counted: AuditEntry[] = [];

  const all = (): FactVersion[] => accepted.map(({ version }) => version);
  const versions = (fact: FactKey): FactVersion[] =>
    all().filter(({ subject, topic }) => subject === fact.subject && topic === fact.topic);
  const entries = (lane: Lane): FactVersion[] =>
    all().filter(({ subject, audience }) => subject === lane.subject && audience === lane.audience);
  const selected = ({ subjects, audiences }: LaneFilter): FactVersion[] =>
    all().filter((v) => (subjects === '*' || subjects.has(v.subject)) && audiences.includes(v.audience));

  function heads(fact: FactKey, lane: Lane, back = { fact: 0, lane: 0 }): Heads {
    const newest = entries(lane).at(-1 - back.lane);
    return {
      fact: versions(fact).at(-1 - back.fact) ?? null,
      lane: newest === undefined ? null : { ordinal: newest.laneOrdinal, writtenAt: newest.writtenAt },
    };
  }

  function attempted(entry: AuditEntry): void {
    const minute = entry.at.slice(0, 16);
    const ended = counted.filter(({ at }) => at.slice(0, 16) < minute);
    counted = counted.filter((count) => !ended.includes(count));
    attempts.push(...ended.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), entry);
  }

  return {
    append(entry) {
      const { version, audit, nonce } = entry;
      if (nonce !== null && nonces.has(nonce.id)) return { kind: 'replayed' };
      const { fact, lane } = heads(version, version);
      if ((fact?.versionHash ?? null) !== version.prevHash) return { kind: 'moved' };
      if ((lane?.ordinal ?? 0) !== version.laneOrdinal - 1) return { kind: 'moved' };
      if (nonce !== null) nonces.add(nonce.id);
      attempted(audit);
      return { kind: 'appended', position: accepted.push(entry) as Position };
    },
    record(entry, nonce) {
      if (nonce !== null && nonces.has(nonce.id)) return 'replayed';
      if (nonce !== null) nonces.add(nonce.id);
      attempted(entry);
      return 'recorded';
    },
    countRefusal(entry) {
      const same = counted.find((count) => JSON.stringify({ ...count, count: 1 }) === JSON.stringify(entry));
      if (same === undefined) counted.push(entry);
      else counted[counted.indexOf(same)] = { ...same, count: same.count + 1 };
    },
    heads,
    versions,
    list: ({ after, limit, ...filter }) =>
      selected(filter)
        .filter((version) => versions(version).at(-1) === version && (after === null || version.uri > after))
        .sort((a, b) => (a.uri < b.uri ? -1 : 1))
        .slice(0, limit),
    lanes: (filter) =>
      selected(filter)
        .filter((version) => entries(version).at(-1) === version)
        .map(({ subject, audience, laneOrdinal, writtenAt }) => ({
          subject,
          audience,
          ordinal: laneOrdinal,
          writtenAt,
        })),
    corrections: ({ lane, afterOrdinal, since, limit }) =>
      entries(lane)
        .filter(
          (version) => version.laneOrdinal > afterOrdinal && (since === null || version.writtenAt >= since),
        )
        .flatMap((version) => {
          const previous = versions(version)[version.version - 2];
          return previous ? [{ position: (all().indexOf(version) + 1) as Position, version, previous }] : [];
        })
        .slice(0, limit),
    journal: () =>
      accepted.map(({ quiet, version: { uri, subject, audience, version, kind, writtenAt } }, index) => ({
        position: (index + 1) as Position,
        uri,
        subject,
        audience,
        version,
        kind,
        writtenAt,
        quiet,
      })),
    audit() {
      const rows: AuditRow[] = [];
      for (const entry of attempts) rows.push(linkAudit(entry, rows.at(-1)?.hash ?? null));
      return { rows, counted };
    },
  };
}
