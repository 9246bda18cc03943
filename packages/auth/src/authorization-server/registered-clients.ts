import type { Adapter } from 'oidc-provider';
import { type Clock, epochSeconds } from '../clock.ts';
import { GRANT_SECONDS, REFRESH_TOKEN_SECONDS } from './lifetimes.ts';
import type { OAuthRecordStore } from './record-store.ts';
import { type Reach, Unavailable } from './unavailable.ts';

/** Registration is open to everybody, so there must be an end to it. */
const MAX_REGISTERED_CLIENTS = 1000;

/** A client that nobody was ever sent to sign in by: it gives way to newer ones. */
const NEW = 'NewClient';
/** One that no person ever granted anything: it gives way when there are no others that could. */
const UNUSED = 'UnusedClient';
const IN_USE = 'Client';

export interface RegisteredClients {
  readonly adapter: Adapter;
  /** A sign-in was begun with a registered client: it no longer gives way to those that merely registered. */
  keepInSight(clientId: string): Promise<void>;
  /** Keeps a registered client for as long as a new grant to it may live, and long enough to ask for the next. */
  keepInUse(clientId: string): Promise<void>;
}

/**
 * Clients that registered themselves (RFC 7591): at most a thousand. The oldest of those that nobody signed in by goes
 * first, then the oldest that nobody allowed anything.
 */
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
      const record =
        (await records.find(IN_USE, id)) ?? (await records.find(UNUSED, id)) ?? (await records.find(NEW, id));
      const hasEnded = record?.expiresAt !== undefined && record.expiresAt <= epochSeconds(clock);
      return hasEnded ? undefined : record;
    });
  }

  async function makeRoom(): Promise<void> {
    const [young, unused, inUse] = await reach(() =>
      Promise.all([records.count(NEW), records.count(UNUSED), records.count(IN_USE)]),
    );
    const tooMany = young + unused + inUse - MAX_REGISTERED_CLIENTS + 1;
    if (tooMany <= 0) return;
    if (young + unused < tooMany)
      throw new Unavailable('the server keeps as many registered clients as it can');
    await reach(() => records.removeOldest(NEW, tooMany));
    if (young < tooMany) await reach(() => records.removeOldest(UNUSED, tooMany - young));
  }

  async function move(
    clientId: string,
    from: string,
    to: string,
    expiresAt: number | undefined,
  ): Promise<void> {
    const record = await find(clientId);
    if (record === undefined) return;
    const { content, grantId, uid } = record;
    await reach(async () => {
      await records.save(to, clientId, { content, grantId, uid, expiresAt });
      await records.remove(from, clientId);
    });
  }

  return {
    adapter: {
      async upsert(id, payload) {
        await makeRoom();
        const record = { content: { ...payload }, grantId: undefined, uid: undefined, expiresAt: undefined };
        await reach(() => records.save(NEW, id, record));
      },
      async find(id) {
        const record = await find(id);
        return record === undefined ? undefined : { ...record.content };
      },
      async destroy(id) {
        await reach(() => Promise.all([NEW, UNUSED, IN_USE].map((kind) => records.remove(kind, id))));
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
    async keepInSight(clientId) {
      const isNew = (await reach(() => records.find(NEW, clientId))) !== undefined;
      if (isNew) await move(clientId, NEW, UNUSED, undefined);
    },
    keepInUse: (clientId) =>
      move(clientId, UNUSED, IN_USE, epochSeconds(clock) + GRANT_SECONDS + REFRESH_TOKEN_SECONDS),
  };
}
