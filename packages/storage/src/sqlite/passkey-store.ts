import { bytesOf } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';
import type { KeyRing } from './key-ring.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from './seal-cells.ts';
import { openJson, sealJson } from './sealed-json.ts';

/** A passkey: `Passkey` of `@unsay/auth`, which says what the fields mean. */
export interface KeptPasskey {
  readonly id: string;
  readonly accountId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly label: string;
  readonly createdAt: number;
}

/** Where passkeys are kept. What a method promised survives any crash. */
export interface PasskeyStore {
  find(id: string): Promise<KeptPasskey | undefined>;
  /** Those of an account, oldest first. */
  of(accountId: string): Promise<readonly KeptPasskey[]>;
  save(passkey: KeptPasskey): Promise<void>;
  remove(id: string): Promise<void>;
}

/** The passkeys kept in a database. */
export function createSqlitePasskeyStore(db: SqliteDatabase, keys: KeyRing): PasskeyStore {
  const key = keys.store;
  const select = db.prepare('SELECT * FROM passkeys WHERE id_index = :id_index');
  const selectOf = db.prepare(
    'SELECT * FROM passkeys WHERE account_index = :account_index ORDER BY created_at',
  );
  const put = db.prepare(`
    INSERT INTO passkeys (id_index, account_index, created_at, ${SEAL_COLUMNS})
    VALUES (:id_index, :account_index, :created_at, ${SEAL_PARAMETERS})
    ON CONFLICT (id_index) DO UPDATE SET account_index = excluded.account_index, created_at = excluded.created_at,
      key_id = excluded.key_id, nonce = excluded.nonce, tag = excluded.tag, commitment = excluded.commitment,
      ciphertext = excluded.ciphertext`);
  const remove = db.prepare('DELETE FROM passkeys WHERE id_index = :id_index');
  const indexOf = (id: string): Uint8Array => key.index('passkey', id);
  const accountIndex = (id: string): Uint8Array => key.index('account', id);
  const placeOf = (index: Uint8Array) => ['passkeys', index] as const;

  function passkeyOf(row: Row): KeptPasskey {
    const { publicKey, ...rest } = openJson(key, placeOf(bytesOf(row.id_index)), row, db) as Omit<
      KeptPasskey,
      'publicKey'
    > & { readonly publicKey: string };
    return { ...rest, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) };
  }

  return {
    async find(id) {
      const row = db.read(() => select.get({ id_index: indexOf(id) }));
      return row && passkeyOf(row);
    },
    async of(accountId) {
      return db.read(() => selectOf.all({ account_index: accountIndex(accountId) })).map(passkeyOf);
    },
    async save(passkey) {
      const index = indexOf(passkey.id);
      const publicKey = Buffer.from(passkey.publicKey).toString('base64url');
      const sealed = sealJson(key, placeOf(index), { ...passkey, publicKey });
      const account = { account_index: accountIndex(passkey.accountId), created_at: passkey.createdAt };
      await db.group(() => put.run({ id_index: index, ...account, ...sealed }));
    },
    async remove(id) {
      await db.group(() => remove.run({ id_index: indexOf(id) }));
    },
  };
}
