import type {
  KeptOAuthRecord,
  OAuthRecord,
  OAuthRecordStore,
} from '../src/authorization-server/record-store.ts';
import { type Clock, epochSeconds } from '../src/clock.ts';

/** Keeps records as JSON, so that what is no JSON is lost here too. `isBroken` makes every method reject. */
export interface MemoryRecordStore extends OAuthRecordStore {
  isBroken: boolean;
  /** Ids of what is there of a kind, oldest first, ended ones too. */
  idsOf(kind: string): readonly string[];
}

export function createMemoryRecordStore(clock: Clock): MemoryRecordStore {
  const kinds = new Map<string, Map<string, { text: string; consumedAt: number | undefined }>>();

  function kept(kind: string) {
    if (store.isBroken) throw new Error('the disk is gone');
    const records = kinds.get(kind) ?? new Map<string, { text: string; consumedAt: number | undefined }>();
    kinds.set(kind, records);
    return records;
  }

  function read(entry: { text: string; consumedAt: number | undefined }): KeptOAuthRecord | undefined {
    const { content, grantId, uid, expiresAt }: OAuthRecord = JSON.parse(entry.text);
    if (expiresAt !== undefined && expiresAt <= epochSeconds(clock)) return undefined;
    return { content, grantId, uid, expiresAt, consumedAt: entry.consumedAt };
  }

  const store: MemoryRecordStore = {
    isBroken: false,
    idsOf: (kind) => [...kept(kind).keys()],
    async save(kind, id, record) {
      kept(kind).set(id, { text: JSON.stringify(record), consumedAt: undefined });
    },
    async find(kind, id) {
      const entry = kept(kind).get(id);
      return entry && read(entry);
    },
    async findByUid(kind, uid) {
      for (const entry of kept(kind).values()) {
        const record = read(entry);
        if (record?.uid === uid) return record;
      }
      return undefined;
    },
    async consume(kind, id, at) {
      const entry = kept(kind).get(id);
      if (entry === undefined || entry.consumedAt !== undefined) return false;
      entry.consumedAt = at;
      return true;
    },
    async remove(kind, id) {
      kept(kind).delete(id);
    },
    async removeByGrant(kind, grantId) {
      for (const [id, entry] of kept(kind)) {
        if (read(entry)?.grantId === grantId) kept(kind).delete(id);
      }
    },
    async count(kind) {
      return [...kept(kind).values()].filter((entry) => read(entry) !== undefined).length;
    },
    async removeOldest(kind, limit) {
      for (const id of [...kept(kind).keys()].slice(0, limit)) kept(kind).delete(id);
    },
  };
  return store;
}
