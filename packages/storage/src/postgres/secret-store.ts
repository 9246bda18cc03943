import type { KeyRing } from '../keys/key-ring.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import { openJson, sealJson } from '../rows/sealed-json.ts';
import type { Tables } from '../stores/tables.ts';

/** Secrets that all servers of a store share, such as the keys that sign tokens, sealed by the store's own key. */
export interface SecretStore {
  /** The secret of this name; made when there is none, and of several processes that make it at once all get one. */
  kept(name: string, make: () => string): Promise<string>;
  /** Puts a secret in the place of the one that is there. */
  keep(name: string, text: string): Promise<void>;
}

/** The secrets kept in a database. */
export function createSecretStore(db: Tables, { store: key }: KeyRing): SecretStore {
  const insert = `INSERT INTO secrets (name, ${SEAL_COLUMNS}) VALUES (:name, ${SEAL_PARAMETERS}) ON CONFLICT (name)`;
  const place = (name: string) => ['secrets', name] as const;
  const cellsOf = (name: string, text: string) => ({ name, ...sealJson(key, place(name), text) });

  async function find(name: string): Promise<string | null> {
    const [row] = await db.select('SELECT * FROM secrets WHERE name = :name', { name });
    return row === undefined ? null : String(openJson(key, place(name), row, db));
  }

  return {
    async kept(name, make) {
      const known = await find(name);
      if (known !== null) return known;
      await db.run({ sql: `${insert} DO NOTHING`, cells: cellsOf(name, make()) });
      const made = await find(name);
      if (made === null) throw db.damaged();
      return made;
    },
    async keep(name, text) {
      const sql = `${insert} DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce, tag = excluded.tag,
        commitment = excluded.commitment, ciphertext = excluded.ciphertext`;
      await db.run({ sql, cells: cellsOf(name, text) });
    },
  };
}
