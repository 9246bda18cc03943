import { type Clock, instant } from '@unsay/live-resources';
import type { KeyRing } from '../keys/key-ring.ts';
import { numberOf, type Row } from '../rows/cells.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import { openJson, sealJson } from '../rows/sealed-json.ts';
import type { Tables } from './tables.ts';

/**
 * Something that an authorization server keeps. The port is the server's (`OAuthRecordStore` of `@unsay/auth`, which
 * says what the fields mean); it is written down again here because neither imports the other.
 */
export interface OAuthRecord {
  readonly content: Readonly<Record<string, unknown>>;
  readonly grantId: string | undefined;
  readonly uid: string | undefined;
  readonly expiresAt: number | undefined;
}

export interface KeptOAuthRecord extends OAuthRecord {
  readonly consumedAt: number | undefined;
}

/** Where an authorization server keeps its records. What a method promised survives any crash. */
export interface OAuthRecordStore {
  save(kind: string, id: string, record: OAuthRecord): Promise<void>;
  find(kind: string, id: string): Promise<KeptOAuthRecord | undefined>;
  findByUid(kind: string, uid: string): Promise<KeptOAuthRecord | undefined>;
  consume(kind: string, id: string, at: number): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  removeByGrant(kind: string, grantId: string): Promise<void>;
  count(kind: string): Promise<number>;
  removeOldest(kind: string, limit: number): Promise<void>;
}

// More than one, so that the table shrinks; few, so that no sign-in pays for a long silence.
const FORGOTTEN_AT_ONCE = 16;
const NOT_ENDED = '(expires_at IS NULL OR expires_at > :now)';

/** The records kept in a database; what ended by the clock is not there. */
export function createOAuthRecordStore(db: Tables, keys: KeyRing, clock: Clock): OAuthRecordStore {
  const key = keys.store;
  const find = `SELECT * FROM oauth_records WHERE kind = :kind AND id_index = :id_index AND ${NOT_ENDED}`;
  const findByUid = `SELECT * FROM oauth_records WHERE kind = :kind AND uid_index = :uid_index AND ${NOT_ENDED}`;
  const put = `
    INSERT INTO oauth_records
      (kind, id_index, uid_index, grant_index, saved_at, expires_at, consumed_at, ${SEAL_COLUMNS})
    VALUES (:kind, :id_index, :uid_index, :grant_index, :saved_at, :expires_at, NULL, ${SEAL_PARAMETERS})
    ON CONFLICT (kind, id_index) DO UPDATE SET uid_index = excluded.uid_index, grant_index = excluded.grant_index,
      expires_at = excluded.expires_at, consumed_at = NULL, key_id = excluded.key_id, nonce = excluded.nonce,
      tag = excluded.tag, commitment = excluded.commitment, ciphertext = excluded.ciphertext`;
  const consume = `
    UPDATE oauth_records SET consumed_at = :at
    WHERE kind = :kind AND id_index = :id_index AND consumed_at IS NULL AND ${NOT_ENDED}`;
  const remove = 'DELETE FROM oauth_records WHERE kind = :kind AND id_index = :id_index';
  const removeByGrant = 'DELETE FROM oauth_records WHERE kind = :kind AND grant_index = :grant_index';
  const count = `SELECT count(*) AS records FROM oauth_records WHERE kind = :kind AND ${NOT_ENDED}`;
  const removeOldest = `
    DELETE FROM oauth_records WHERE kind = :kind AND id_index IN
      (SELECT id_index FROM oauth_records WHERE kind = :kind ORDER BY saved_at LIMIT :limit)`;
  const forget = `
    DELETE FROM oauth_records WHERE (kind, id_index) IN
      (SELECT kind, id_index FROM oauth_records WHERE expires_at <= :now ORDER BY expires_at
       LIMIT ${FORGOTTEN_AT_ONCE})`;
  const now = (): number => Math.floor(clock.now() / 1000);
  const idIndex = (kind: string, id: string): Uint8Array =>
    key.index('oauth-record', JSON.stringify([kind, id]));
  const uidIndex = (uid: string): Uint8Array => key.index('oauth-uid', uid);
  const grantIndex = (grantId: string): Uint8Array => key.index('oauth-grant', grantId);
  // That a record was used up is not bound: whoever can write the file could put back the row from before its use.
  const placeOf = (kind: string, index: Uint8Array) => ['oauth_records', kind, index] as const;

  function recordOf(kind: string, row: Row | undefined): KeptOAuthRecord | undefined {
    if (row === undefined) return undefined;
    const index = row.id_index instanceof Uint8Array ? row.id_index : new Uint8Array();
    const { content, grantId, uid, expiresAt } = openJson(key, placeOf(kind, index), row, db) as {
      content: OAuthRecord['content'];
      grantId: string | null;
      uid: string | null;
      expiresAt: number | null;
    };
    // The sealed end holds, whatever the column says.
    if (expiresAt !== null && expiresAt <= now()) return undefined;
    return {
      content,
      grantId: grantId ?? undefined,
      uid: uid ?? undefined,
      expiresAt: expiresAt ?? undefined,
      consumedAt: row.consumed_at === null ? undefined : numberOf(row.consumed_at),
    };
  }

  return {
    async save(kind, id, { content, grantId, uid, expiresAt }) {
      const index = idIndex(kind, id);
      const sealed = sealJson(key, placeOf(kind, index), {
        content,
        grantId: grantId ?? null,
        uid: uid ?? null,
        expiresAt: expiresAt ?? null,
      });
      const cells = {
        kind,
        id_index: index,
        uid_index: uid === undefined ? null : uidIndex(uid),
        grant_index: grantId === undefined ? null : grantIndex(grantId),
        saved_at: instant(clock.now()),
        expires_at: expiresAt === undefined ? null : Math.ceil(expiresAt),
        ...sealed,
      };
      await db.run({ sql: forget, cells: { now: now() } }, { sql: put, cells });
    },
    async find(kind, id) {
      const row = (await db.select(find, { kind, id_index: idIndex(kind, id), now: now() }))[0];
      return recordOf(kind, row);
    },
    async findByUid(kind, uid) {
      return recordOf(kind, (await db.select(findByUid, { kind, uid_index: uidIndex(uid), now: now() }))[0]);
    },
    async consume(kind, id, at) {
      const parameters = { kind, id_index: idIndex(kind, id), at, now: now() };
      const [consumed] = await db.run({ sql: consume, cells: parameters });
      return consumed === 1;
    },
    async remove(kind, id) {
      await db.run({ sql: remove, cells: { kind, id_index: idIndex(kind, id) } });
    },
    async removeByGrant(kind, grantId) {
      await db.run({ sql: removeByGrant, cells: { kind, grant_index: grantIndex(grantId) } });
    },
    async count(kind) {
      return numberOf((await db.select(count, { kind, now: now() }))[0]?.records);
    },
    async removeOldest(kind, limit) {
      await db.run({ sql: removeOldest, cells: { kind, limit } });
    },
  };
}
