import { bytesOf } from './cells.ts';
import type { Row, SqliteDatabase } from './database.ts';
import type { KeyRing } from './key-ring.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from './seal-cells.ts';
import { openJson, sealJson } from './sealed-json.ts';

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
export function createSqliteListenerStore(db: SqliteDatabase, keys: KeyRing): ListenerStore {
  const key = keys.store;
  const select = db.prepare('SELECT * FROM listeners WHERE id_index = :id_index');
  const selectByClient = db.prepare('SELECT * FROM listeners WHERE client_index = :client_index');
  const selectAll = db.prepare('SELECT * FROM listeners ORDER BY enrolled_at');
  const put = db.prepare(`
    INSERT INTO listeners (id_index, client_index, enrolled_at, ${SEAL_COLUMNS})
    VALUES (:id_index, :client_index, :enrolled_at, ${SEAL_PARAMETERS})
    ON CONFLICT (id_index) DO UPDATE SET client_index = excluded.client_index, enrolled_at = excluded.enrolled_at,
      key_id = excluded.key_id, nonce = excluded.nonce, tag = excluded.tag, commitment = excluded.commitment,
      ciphertext = excluded.ciphertext`);
  const indexOf = (id: string): Uint8Array => key.index('enrolled-listener', id);
  const clientIndex = (id: string): Uint8Array => key.index('listener-client', id);
  const placeOf = (index: Uint8Array) => ['listeners', index] as const;

  function listenerOf(row: Row): KeptListener {
    const kept = openJson(key, placeOf(bytesOf(row.id_index)), row, db) as KeptListener;
    return { ...kept, revokedAt: kept.revokedAt ?? undefined };
  }

  return {
    async find(id) {
      const row = db.read(() => select.get({ id_index: indexOf(id) }));
      return row && listenerOf(row);
    },
    async findByClient(clientId) {
      const row = db.read(() => selectByClient.get({ client_index: clientIndex(clientId) }));
      return row && listenerOf(row);
    },
    async all() {
      return db.read(() => selectAll.all()).map(listenerOf);
    },
    async save(listener) {
      const index = indexOf(listener.id);
      const sealed = sealJson(key, placeOf(index), listener);
      const clear = { client_index: clientIndex(listener.clientId), enrolled_at: listener.enrolledAt };
      await db.group(() => put.run({ id_index: index, ...clear, ...sealed }));
    },
  };
}
