import type { KeyRing } from '../keys/key-ring.ts';
import { bytesOf, type Row } from '../rows/cells.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import { openJson, sealJson } from '../rows/sealed-json.ts';
import type { Tables } from './tables.ts';

/** An enrolled device: `EnrolledListener` of `@unsay/auth`, which says what the fields mean. */
export interface KeptListener {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly subject: string;
  readonly enrolledAt: number;
  readonly revokedAt: number | undefined;
}

/** Where enrolled listeners are kept. What a method promised survives any crash. */
export interface ListenerStore {
  find(id: string): Promise<KeptListener | undefined>;
  findByClient(clientId: string): Promise<KeptListener | undefined>;
  /** All of them, revoked ones too, oldest first. */
  all(): Promise<readonly KeptListener[]>;
  save(listener: KeptListener): Promise<void>;
}

/** The listeners kept in a database. */
export function createListenerStore(db: Tables, keys: KeyRing): ListenerStore {
  const key = keys.store;
  const select = 'SELECT * FROM listeners WHERE id_index = :id_index';
  const selectByClient = 'SELECT * FROM listeners WHERE client_index = :client_index';
  const selectAll = 'SELECT * FROM listeners ORDER BY enrolled_at';
  const put = `
    INSERT INTO listeners (id_index, client_index, enrolled_at, ${SEAL_COLUMNS})
    VALUES (:id_index, :client_index, :enrolled_at, ${SEAL_PARAMETERS})
    ON CONFLICT (id_index) DO UPDATE SET client_index = excluded.client_index, enrolled_at = excluded.enrolled_at,
      key_id = excluded.key_id, nonce = excluded.nonce, tag = excluded.tag, commitment = excluded.commitment,
      ciphertext = excluded.ciphertext`;
  const indexOf = (id: string): Uint8Array => key.index('enrolled-listener', id);
  const clientIndex = (id: string): Uint8Array => key.index('listener-client', id);
  const placeOf = (index: Uint8Array) => ['listeners', index] as const;

  function listenerOf(row: Row): KeptListener {
    const kept = openJson(key, placeOf(bytesOf(row.id_index)), row, db) as KeptListener;
    return { ...kept, revokedAt: kept.revokedAt ?? undefined };
  }

  return {
    async find(id) {
      const row = (await db.select(select, { id_index: indexOf(id) }))[0];
      return row && listenerOf(row);
    },
    async findByClient(clientId) {
      const row = (await db.select(selectByClient, { client_index: clientIndex(clientId) }))[0];
      return row && listenerOf(row);
    },
    async all() {
      return (await db.select(selectAll)).map(listenerOf);
    },
    async save(listener) {
      const index = indexOf(listener.id);
      const sealed = sealJson(key, placeOf(index), listener);
      const clear = { client_index: clientIndex(listener.clientId), enrolled_at: listener.enrolledAt };
      await db.run({ sql: put, cells: { id_index: index, ...clear, ...sealed } });
    },
  };
}
