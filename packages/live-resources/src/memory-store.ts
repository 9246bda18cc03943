import { type AuditEntry, type AuditRow, linkAudit } from './audit.ts';
import type { FactUri } from './fact-uri.ts';
import { BEGINNING, type JournalEntry, type Position } from './journal.ts';
import type { FactKey, Lane } from './partition.ts';
import type {
  AnsweredRequest,
  Append,
  FactPage,
  FactStore,
  LaneFilter,
  LaneHead,
  StoredCorrection,
} from './store.ts';
import type { FactVersion } from './version.ts';

/** A store that forgets everything at exit: for tests and for programs that own no disk. */
export function createMemoryStore(): FactStore {
  const chains = new Map<string, FactVersion[]>();
  const lanes = new Map<string, Lane & LaneHead>();
  const journal: JournalEntry[] = [];
  const audit: AuditRow[] = [];
  const counted = new Map<string, AuditEntry>();
  const nonces = new Set<string>();
  const answered = new Map<string, AnsweredRequest>();

  const factKey = ({ subject, topic }: FactKey): string => `${subject}/${topic}`;
  const laneKey = ({ subject, audience }: Lane): string => `${subject}/${audience}`;
  const inFilter = (lane: Lane, { subjects, audiences }: LaneFilter): boolean =>
    (subjects === '*' || subjects.has(lane.subject)) && audiences.includes(lane.audience);

  function addAudit(entry: AuditEntry): void {
    // Throws before anything was changed.
    linkAudit(entry, null);
    for (const [key, count] of counted) {
      if (count.at.slice(0, 16) >= entry.at.slice(0, 16)) continue;
      counted.delete(key);
      audit.push(linkAudit(count, audit.at(-1)?.hash ?? null));
    }
    audit.push(linkAudit(entry, audit.at(-1)?.hash ?? null));
  }

  const entriesOf = (lane: Lane): JournalEntry[] =>
    journal.filter((entry) => laneKey(entry) === laneKey(lane));

  function correctionsOf(lane: Lane): StoredCorrection[] {
    return journal.flatMap((entry) => {
      if (laneKey(entry) !== laneKey(lane) || entry.version === 1) return [];
      const chain = [...chains.values()].find((versions) => versions[0]?.uri === entry.uri) ?? [];
      const [previous, version] = chain.slice(entry.version - 2, entry.version);
      return previous && version ? [{ position: entry.position, version, previous }] : [];
    });
  }

  function heads({ after, ...filter }: Omit<FactPage, 'limit'>): FactVersion[] {
    return [...chains.values()]
      .flatMap((chain) => chain.slice(-1))
      .filter((head) => inFilter(head, filter) && (after === null || head.uri > after))
      .sort((a, b) => byUri(a.uri, b.uri));
  }

  return {
    async heads(fact, lane) {
      return { fact: chains.get(factKey(fact))?.at(-1) ?? null, lane: lanes.get(laneKey(lane)) ?? null };
    },
    async append({ version, quiet, audit: entry, nonce, request }: Append) {
      const chain = chains.get(factKey(version)) ?? [];
      if (nonce !== null && nonces.has(nonce.id)) return { kind: 'replayed' };
      const lane = lanes.get(laneKey(version)) ?? null;
      const isNext = (lane?.ordinal ?? 0) + 1 === version.laneOrdinal;
      const isLater = lane === null || lane.writtenAt <= version.writtenAt;
      if ((chain.at(-1)?.versionHash ?? null) !== version.prevHash || !isNext || !isLater) {
        return { kind: 'moved' };
      }
      if (request !== null && answered.has(request.id)) return { kind: 'moved' };
      addAudit(entry);
      if (nonce !== null) nonces.add(nonce.id);
      if (request !== null) {
        const fact = { subject: version.subject, topic: version.topic };
        answered.set(request.id, { requestHash: request.requestHash, fact, version: version.version });
      }
      chains.set(factKey(version), [...chain, version]);
      const { subject, audience, writtenAt, uri, kind } = version;
      lanes.set(laneKey(version), { subject, audience, ordinal: version.laneOrdinal, writtenAt });
      const position = (journal.length + 1) as Position;
      journal.push({ position, uri, subject, audience, version: version.version, kind, writtenAt, quiet });
      return { kind: 'appended', position };
    },
    async record(entry, nonce) {
      if (nonce !== null && nonces.has(nonce.id)) return 'replayed';
      addAudit(entry);
      if (nonce !== null) nonces.add(nonce.id);
      return 'recorded';
    },
    async countRefusal(entry) {
      // What the log would refuse later must not wait in a count: it would stop every row after it.
      linkAudit(entry, null);
      const { at, count: _one, ...same } = entry;
      const key = JSON.stringify([at.slice(0, 16), same]);
      counted.set(key, { ...entry, count: (counted.get(key)?.count ?? 0) + entry.count });
    },
    async answered(id) {
      return answered.get(id) ?? null;
    },
    async audienceOf(fact) {
      return chains.get(factKey(fact))?.[0]?.audience ?? null;
    },
    async headFor(fact, audience) {
      const head = chains.get(factKey(fact))?.at(-1) ?? null;
      return head?.audience === audience ? head : null;
    },
    async version(fact, version) {
      const chain = chains.get(factKey(fact)) ?? [];
      return (version === null ? chain.at(-1) : chain[version - 1]) ?? null;
    },
    async withdrawnThrough(fact) {
      return chains.get(factKey(fact))?.findLast(({ kind }) => kind === 'withdraw')?.version ?? 0;
    },
    async list({ limit, ...page }) {
      return heads(page).slice(0, limit);
    },
    async names({ after, limit, ...filter }) {
      return heads({ after, ...filter })
        .slice(0, limit)
        .map(({ subject, topic, uri, audience }) => ({ subject, topic, uri, audience }));
    },
    async chain(fact, page) {
      const all = chains.get(factKey(fact)) ?? [];
      const versions = page === undefined ? all : all.slice(page.after, page.after + page.limit);
      return { head: all.at(-1) ?? null, versions, seals: versions.map(() => null) };
    },
    async lanes(filter) {
      return [...lanes.values()].filter((lane) => inFilter(lane, filter));
    },
    async corrections({ lane, afterOrdinal, since, limit }) {
      return correctionsOf(lane)
        .filter(
          ({ version }) =>
            version.laneOrdinal > afterOrdinal && (since === null || version.writtenAt >= since),
        )
        .slice(0, limit);
    },
    async positionOf(lane, ordinal) {
      return entriesOf(lane)[ordinal - 1]?.position ?? null;
    },
    async laneEntries(lane, afterOrdinal, limit) {
      return entriesOf(lane).slice(afterOrdinal, afterOrdinal + limit);
    },
    async journal(after, limit) {
      return journal.slice(after, after + limit);
    },
    async journalHead() {
      return journal.at(-1)?.position ?? BEGINNING;
    },
    async audit(fromIndex, limit) {
      return { rows: audit.slice(fromIndex, fromIndex + limit), counted: [...counted.values()] };
    },
  };
}

function byUri(a: FactUri, b: FactUri): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
