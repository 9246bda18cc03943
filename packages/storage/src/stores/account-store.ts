import type { KeyRing } from '../keys/key-ring.ts';
import { bytesOf, type Row } from '../rows/cells.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import { openJson, sealJson } from '../rows/sealed-json.ts';
import type { Tables } from './tables.ts';

/** A person who may sign in: `Account` of `@unsay/auth`, which says what the fields mean. */
export interface KeptAccount {
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly subjects: ReadonlySet<string> | '*';
  readonly epoch: number;
  readonly lost?: {
    readonly scopes: Readonly<Record<string, number>>;
    readonly subjects: Readonly<Record<string, number>>;
  };
}

/** Where accounts are kept. What a method promised survives any crash. */
export interface AccountStore {
  find(id: string): Promise<KeptAccount | undefined>;
  /** All of them, by id. */
  all(): Promise<readonly KeptAccount[]>;
  save(account: KeptAccount): Promise<void>;
  /** With its passkeys. */
  remove(id: string): Promise<void>;
}

/** The accounts kept in a database. */
export function createAccountStore(db: Tables, keys: KeyRing): AccountStore {
  const key = keys.store;
  const select = 'SELECT * FROM accounts WHERE id_index = :id_index';
  const selectAll = 'SELECT * FROM accounts';
  const put = `
    INSERT INTO accounts (id_index, ${SEAL_COLUMNS}) VALUES (:id_index, ${SEAL_PARAMETERS})
    ON CONFLICT (id_index) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce, tag = excluded.tag,
      commitment = excluded.commitment, ciphertext = excluded.ciphertext`;
  const remove = 'DELETE FROM accounts WHERE id_index = :id_index';
  const removePasskeys = 'DELETE FROM passkeys WHERE account_index = :id_index';
  const indexOf = (id: string): Uint8Array => key.index('account', id);
  const placeOf = (index: Uint8Array) => ['accounts', index] as const;

  function accountOf(row: Row | undefined): KeptAccount | undefined {
    if (row === undefined) return undefined;
    const { scopes, subjects, ...rest } = openJson(key, placeOf(bytesOf(row.id_index)), row, db) as Omit<
      KeptAccount,
      'scopes' | 'subjects'
    > & { readonly scopes: string[]; readonly subjects: string[] | '*' };
    return { ...rest, scopes: new Set(scopes), subjects: subjects === '*' ? '*' : new Set(subjects) };
  }

  return {
    async find(id) {
      return accountOf((await db.select(select, { id_index: indexOf(id) }))[0]);
    },
    async all() {
      const accounts = (await db.select(selectAll)).map((row) => accountOf(row));
      return accounts
        .filter((account) => account !== undefined)
        .sort((one, other) => (one.id < other.id ? -1 : 1));
    },
    async save({ scopes, subjects, ...account }) {
      const index = indexOf(account.id);
      const rights = { scopes: [...scopes], subjects: subjects === '*' ? subjects : [...subjects] };
      const sealed = sealJson(key, placeOf(index), { ...account, ...rights });
      await db.run({ sql: put, cells: { id_index: index, ...sealed } });
    },
    async remove(id) {
      const cells = { id_index: indexOf(id) };
      await db.run({ sql: removePasskeys, cells }, { sql: remove, cells });
    },
  };
}
