import { type Clock, instant } from '@unsay/live-resources';
import type { KeyRing } from '../keys/key-ring.ts';
import { SEAL_COLUMNS, SEAL_PARAMETERS } from '../rows/seal-cells.ts';
import { openJson, sealJson } from '../rows/sealed-json.ts';
import type { Tables } from './tables.ts';

/**
 * What a server remembers of a client between its requests. The port is the server's (`SessionRepository` of
 * `@unsay/mcp`, which says what the fields mean); it is written down again here because neither imports the other.
 */
export interface KeptSession {
  readonly id: string;
  readonly owner: string;
  readonly protocolVersion: string;
  readonly subscriptions: readonly string[];
  readonly listServed: boolean;
  /** Absent from what an earlier release kept. */
  readonly logLevel?: string | null;
  readonly resumeFrom: string | null;
}

/**
 * Where sessions are kept. What was saved survives the death of the process and of the machine. A session whose bytes
 * are not what was saved is a `StorageError` with the code `damaged`, and not one that is not there.
 */
export interface SessionStore {
  /** A session, or null when there is none or it was idle for too long. */
  load(id: string): Promise<KeptSession | null>;
  /** Keeps a session in the place of the one of its id, if there is one. It counts as use. */
  save(session: KeptSession): Promise<void>;
  /** Says that a session is in use; nothing for one that is not there. */
  touch(id: string): Promise<void>;
  /** Forgets a session; nothing for one that is not there. */
  remove(id: string): Promise<void>;
}

// More than one, so that the table shrinks; few, so that no session pays for a long silence.
const FORGOTTEN_AT_ONCE = 16;

/** The sessions kept in a database; one that was not used for `idleMs` by the clock is forgotten. */
export function createSessionStore(
  db: Tables,
  keys: KeyRing,
  { clock, idleMs }: { readonly clock: Clock; readonly idleMs: number },
): SessionStore {
  const key = keys.store;
  const select = 'SELECT * FROM sessions WHERE id_index = :id_index AND used_at >= :idle_since';
  const put = `
    INSERT INTO sessions (id_index, used_at, ${SEAL_COLUMNS}) VALUES (:id_index, :used_at, ${SEAL_PARAMETERS})
    ON CONFLICT (id_index) DO UPDATE SET used_at = excluded.used_at, key_id = excluded.key_id,
      nonce = excluded.nonce, tag = excluded.tag, commitment = excluded.commitment,
      ciphertext = excluded.ciphertext`;
  const use = 'UPDATE sessions SET used_at = :used_at WHERE id_index = :id_index';
  const remove = 'DELETE FROM sessions WHERE id_index = :id_index';
  const forget = `
    DELETE FROM sessions WHERE id_index IN
      (SELECT id_index FROM sessions WHERE used_at < :idle_since ORDER BY used_at LIMIT ${FORGOTTEN_AT_ONCE})`;
  const indexOf = (id: string): Uint8Array => key.index('session', id);
  const idleSince = (): string => instant(clock.now() - idleMs);
  // When a session was last used is not bound: whoever can write the file could make one last, and no more.
  const placeOf = (index: Uint8Array) => ['sessions', index] as const;

  return {
    async load(id) {
      const index = indexOf(id);
      const row = (await db.select(select, { id_index: index, idle_since: idleSince() }))[0];
      if (row === undefined) return null;
      return { ...(openJson(key, placeOf(index), row, db) as Omit<KeptSession, 'id'>), id };
    },
    async save({ id, ...content }) {
      const index = indexOf(id);
      const sealed = sealJson(key, placeOf(index), content);
      const used_at = instant(clock.now());
      await db.run(
        { sql: forget, cells: { idle_since: idleSince() } },
        { sql: put, cells: { id_index: index, used_at, ...sealed } },
      );
    },
    async touch(id) {
      await db.run({ sql: use, cells: { id_index: indexOf(id), used_at: instant(clock.now()) } });
    },
    async remove(id) {
      await db.run({ sql: remove, cells: { id_index: indexOf(id) } });
    },
  };
}
