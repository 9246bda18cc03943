import type { KeyRing } from '../keys/key-ring.ts';
import { bytesOf, type Row } from '../rows/cells.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import { openJson, sealJson } from '../rows/sealed-json.ts';
import type { Tables } from './tables.ts';

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
export function createPasskeyStore(db: Tables, keys: KeyRing): PasskeyStore {
  const key = keys.store;
  const select = 'SELECT * FROM passkeys WHERE id_index = :id_index';
  const selectOf = 'SELECT * FROM passkeys WHERE account_index = :account_index ORDER BY created_at';
  const put = `
    INSERT INTO passkeys (id_index, account_index, created_at, ${SEAL_COLUMNS})
    VALUES (:id_index, :account_index, :created_at, ${SEAL_PARAMETERS})
    ON CONFLICT (id_index) DO UPDATE SET account_index = excluded.account_index, created_at = excluded.created_at,
      key_id = excluded.key_id, nonce = excluded.nonce, tag = excluded.tag, commitment = excluded.commitment,
      ciphertext = excluded.ciphertext`;
  const remove = 'DELETE FROM passkeys WHERE id_index = :id_index';
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
      const row = (await db.select(select, { id_index: indexOf(id) }))[0];
      return row && passkeyOf(row);
    },
    async of(accountId) {
      return (await db.select(selectOf, { account_index: accountIndex(accountId) })).map(passkeyOf);
    },
    async save(passkey) {
      const index = indexOf(passkey.id);
      const publicKey = Buffer.from(passkey.publicKey).toString('base64url');
      const sealed = sealJson(key, placeOf(index), { ...passkey, publicKey });
      const account = { account_index: accountIndex(passkey.accountId), created_at: passkey.createdAt };
      await db.run({ sql: put, cells: { id_index: index, ...account, ...sealed } });
    },
    async remove(id) {
      await db.run({ sql: remove, cells: { id_index: indexOf(id) } });
    },
  };
}
