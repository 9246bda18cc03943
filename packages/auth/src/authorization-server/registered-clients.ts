import type { Adapter } from 'oidc-provider';
import { type Clock, epochSeconds } from '../clock.ts';
import { GRANT_SECONDS, REFRESH_TOKEN_SECONDS } from './lifetimes.ts';
import type { OAuthRecordStore } from './record-store.ts';
import { type Reach, Unavailable } from './unavailable.ts';

/** Registration is open to everybody, so there must be an end to it. */
const MAX_REGISTERED_CLIENTS = 1000;

/** A client that no person ever granted anything: it gives way to newer ones. */
const UNUSED = 'UnusedClient';
const IN_USE = 'Client';

export interface RegisteredClients {
  readonly adapter: Adapter;
  /** Keeps a registered client for as long as a new grant to it may live, and long enough to ask for the next. */
  keepInUse(clientId: string): Promise<void>;
}

/** Clients that registered themselves (RFC 7591): at most a thousand, and the oldest unused one goes first. */
export function createRegisteredClients({
  records,
  clock,
  reach,
}: {
  readonly records: OAuthRecordStore;
  readonly clock: Clock;
  readonly reach: Reach;
}): RegisteredClients {
  function find(id: string) {
    return reach(async () => {
      const record = (await records.find(IN_USE, id)) ?? (await records.find(UNUSED, id));
      const hasEnded = record?.expiresAt !== undefined && record.expiresAt <= epochSeconds(clock);
      return hasEnded ? undefined : record;
    });
  }

  async function makeRoom(): Promise<void> {
    const [unused, inUse] = await reach(() => Promise.all([records.count(UNUSED), records.count(IN_USE)]));
    const tooMany = unused + inUse - MAX_REGISTERED_CLIENTS + 1;
    if (tooMany <= 0) return;
    if (unused < tooMany) throw new Unavailable('the server keeps as many registered clients as it can');
    await reach(() => records.removeOldest(UNUSED, tooMany));
  }

  return {
    adapter: {
      async upsert(id, payload) {
        await makeRoom();
        const record = { content: { ...payload }, grantId: undefined, uid: undefined, expiresAt: undefined };
        await reach(() => records.save(UNUSED, id, record));
      },
      async find(id) {
        const record = await find(id);
        return record === undefined ? undefined : { ...record.content };
      },
      async destroy(id) {
        await reach(() => Promise.all([records.remove(UNUSED, id), records.remove(IN_USE, id)]));
      },
      async findByUid() {
        return undefined;
      },
      async findByUserCode() {
        return undefined;
      },
      async consume() {},
      async revokeByGrantId() {},
    },
    async keepInUse(clientId) {
      const record = await find(clientId);
      if (record === undefined) return;
      const { content, grantId, uid } = record;
      const expiresAt = epochSeconds(clock) + GRANT_SECONDS + REFRESH_TOKEN_SECONDS;
      await reach(async () => {
        await records.save(IN_USE, clientId, { content, grantId, uid, expiresAt });
        await records.remove(UNUSED, clientId);
      });
    },
  };
}
