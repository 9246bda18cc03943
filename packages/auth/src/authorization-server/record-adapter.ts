import type { Adapter, AdapterPayload } from 'oidc-provider';
import { type Clock, epochSeconds } from '../clock.ts';
import { sha256Base64url } from '../digest.ts';
import { type EndGrant, TURN } from './grant-ending.ts';
import type { KeptOAuthRecord, OAuthRecordStore } from './record-store.ts';
import type { RegisteredClients } from './registered-clients.ts';
import type { Reach } from './unavailable.ts';

export interface RecordAdapterOptions {
  readonly records: OAuthRecordStore;
  readonly clients: RegisteredClients;
  readonly clock: Clock;
  readonly reach: Reach;
  readonly endGrant: EndGrant;
  readonly refreshGraceSeconds: number;
  /** Makes the error that refuses a code or refresh token. */
  readonly usedAlready: () => Error;
}

/**
 * Sign-ins that were begun and not finished. Anybody can begin one, so the oldest gives way: to keep a person out, a
 * stranger would have to begin as many in the time that the person takes.
 */
const MAX_INTERACTIONS = 10_000;

/** What `oidc-provider` keeps, in an `OAuthRecordStore`. Lifetimes are counted by our clock. */
export function createRecordAdapters(options: RecordAdapterOptions): (kind: string) => Adapter {
  return (kind) => (kind === 'Client' ? options.clients.adapter : createAdapter(kind, options));
}

function createAdapter(
  kind: string,
  { records, clients, clock, reach, endGrant, refreshGraceSeconds, usedAlready }: RecordAdapterOptions,
): Adapter {
  const now = () => epochSeconds(clock);

  function isInGrace({ consumedAt }: KeptOAuthRecord): boolean {
    return kind === 'RefreshToken' && consumedAt !== undefined && now() < consumedAt + refreshGraceSeconds;
  }

  function payloadOf(record: KeptOAuthRecord | undefined): AdapterPayload | undefined {
    if (record === undefined) return undefined;
    if (record.expiresAt !== undefined && record.expiresAt <= now()) return undefined;
    const { consumedAt, content } = record;
    return consumedAt === undefined || isInGrace(record)
      ? { ...content }
      : { ...content, consumed: consumedAt };
  }

  /**
   * Of the pairs that repeats within the grace gave, one goes on: whoever has another has a copy. A record of each
   * turn says which refresh token took it.
   */
  async function takeTurn(id: string): Promise<void> {
    const record = await reach(() => records.find(kind, id));
    if (record?.grantId === undefined) return;
    const { grantId, expiresAt } = record;
    const turn = `${grantId} ${record.content.rotations ?? 0}`;
    const token = sha256Base64url(id);
    const first = await reach(() => records.find(TURN, turn));
    if (first === undefined) {
      const taken = { content: { token }, grantId, uid: undefined, expiresAt };
      await reach(() => records.save(TURN, turn, taken));
    } else if (first.content.token !== token) {
      await endGrant(grantId);
      throw usedAlready();
    }
  }

  async function makeRoom(): Promise<void> {
    const tooMany = (await records.count(kind)) - MAX_INTERACTIONS + 1;
    if (tooMany > 0) await records.removeOldest(kind, tooMany);
  }

  return {
    async upsert(id, payload, expiresIn) {
      if (kind === 'Interaction') await reach(makeRoom);
      const { grantId, uid, clientId } = payload;
      const expiresAt = expiresIn === undefined ? undefined : now() + expiresIn;
      if (kind === 'Grant' && clientId !== undefined) await clients.keepInUse(clientId);
      if (kind === 'Interaction') await clients.keepInSight(`${payload.params?.client_id}`);
      await reach(() => records.save(kind, id, { content: { ...payload }, grantId, uid, expiresAt }));
    },
    async find(id) {
      return payloadOf(await reach(() => records.find(kind, id)));
    },
    async findByUid(uid) {
      return payloadOf(await reach(() => records.findByUid(kind, uid)));
    },
    async findByUserCode() {
      return undefined;
    },
    async consume(id) {
      if (kind === 'RefreshToken') await takeTurn(id);
      if (await reach(() => records.consume(kind, id, now()))) return;
      // It was fresh when it was looked up, so somebody else used it, or ended its grant, in between.
      const record = await reach(() => records.find(kind, id));
      if (record !== undefined && isInGrace(record)) return;
      if (record?.grantId !== undefined) await endGrant(record.grantId);
      throw usedAlready();
    },
    async destroy(id) {
      if (kind === 'Grant') await endGrant(id);
      else await reach(() => records.remove(kind, id));
    },
    async revokeByGrantId(grantId) {
      await reach(() => records.removeByGrant(kind, grantId));
    },
  };
}
