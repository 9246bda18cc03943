import { bytesOf } from './cells.ts';
import type { SqliteDatabase } from './database.ts';
import type { KeyRing } from './key-ring.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from './seal-cells.ts';
import { openJson, sealJson } from './sealed-json.ts';

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
export function createSqliteAccountStore(db: SqliteDatabase, keys: KeyRing): AccountStore {
  const key = keys.store;
  const select = db.prepare('SELECT * FROM accounts WHERE id_index = :id_index');
  const selectAll = db.prepare('SELECT * FROM accounts');
  const put = db.prepare(`
    INSERT INTO accounts (id_index, ${SEAL_COLUMNS}) VALUES (:id_index, ${SEAL_PARAMETERS})
    ON CONFLICT (id_index) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce, tag = excluded.tag,
      commitment = excluded.commitment, ciphertext = excluded.ciphertext`);
  const remove = db.prepare('DELETE FROM accounts WHERE id_index = :id_index');
  const removePasskeys = db.prepare('DELETE FROM passkeys WHERE account_index = :id_index');
  const indexOf = (id: string): Uint8Array => key.index('account', id);
  const placeOf = (index: Uint8Array) => ['accounts', index] as const;

  function accountOf(row: ReturnType<typeof select.get>): KeptAccount | undefined {
    if (row === undefined) return undefined;
    const { scopes, subjects, ...rest } = openJson(key, placeOf(bytesOf(row.id_index)), row, db) as Omit<
      KeptAccount,
      'scopes' | 'subjects'
    > & { readonly scopes: string[]; readonly subjects: string[] | '*' };
    return { ...rest, scopes: new Set(scopes), subjects: subjects === '*' ? '*' : new Set(subjects) };
  }

  return {
    async find(id) {
      return accountOf(db.read(() => select.get({ id_index: indexOf(id) })));
    },
    async all() {
      const accounts = db.read(() => selectAll.all()).map((row) => accountOf(row));
      return accounts
        .filter((account) => account !== undefined)
        .sort((one, other) => (one.id < other.id ? -1 : 1));
    },
    async save({ scopes, subjects, ...account }) {
      const index = indexOf(account.id);
      const rights = { scopes: [...scopes], subjects: subjects === '*' ? subjects : [...subjects] };
      const sealed = sealJson(key, placeOf(index), { ...account, ...rights });
      await db.group(() => put.run({ id_index: index, ...sealed }));
    },
    async remove(id) {
      await db.group(() => {
        removePasskeys.run({ id_index: indexOf(id) });
        remove.run({ id_index: indexOf(id) });
      });
    },
  };
}
