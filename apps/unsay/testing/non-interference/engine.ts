import type { RevocationStore } from '@unsay/auth/resource-server';
import { type Clock, createMemoryStore, type FactStore, type Randomness } from '@unsay/live-resources';
import type { SessionRepository, StoredSession } from '@unsay/mcp';
import {
  createLocalKeyProvider,
  createRevocationStore,
  createSessionStore,
  createSqliteFactStore,
  createSqliteMeta,
  type KeyProvider,
  type Meta,
  openDatabase,
  openKeyRing,
  plaintextProvider,
} from '@unsay/storage';
import { SESSION_IDLE_MS } from '../../src/run-server.ts';

/** Where one world keeps what it knows. */
export interface Engine {
  readonly store: FactStore;
  readonly meta: Meta;
  readonly sessions: SessionRepository;
  readonly revocations: RevocationStore;
  close(): void;
}

/** Opens an engine, empty. */
export type OpenEngine = (clock: Clock, randomness: Randomness) => Promise<Engine>;

/** Sessions that are kept for as long as whoever asked for them keeps this. */
export function memorySessions(): SessionRepository {
  const sessions = new Map<string, StoredSession>();
  return {
    load: async (id) => sessions.get(id) ?? null,
    save: async (session) => void sessions.set(session.id, session),
    touch: async () => undefined,
    remove: async (id) => void sessions.delete(id),
  };
}

const MASTER_KEY = new Uint8Array(32).fill(5);

/** Keeps everything in memory; what is quick enough to plant many faults in. */
export const openMemory: OpenEngine = async () => {
  const known = new Map<string, string>();
  return {
    store: createMemoryStore(),
    meta: { get: (key) => known.get(key) ?? null, set: async (key, value) => void known.set(key, value) },
    sessions: memorySessions(),
    revocations: { add: async () => undefined, all: async () => [] },
    close: () => undefined,
  };
};

/** Every engine there is. */
export const ENGINES: readonly { readonly name: string; readonly open: OpenEngine }[] = [
  { name: 'memory', open: openMemory },
  { name: 'SQLite in plaintext', open: sqlite(() => plaintextProvider) },
  { name: 'SQLite, sealed', open: sqlite((randomness) => createLocalKeyProvider(MASTER_KEY, randomness)) },
];

function sqlite(providerOf: (randomness: Randomness) => KeyProvider): OpenEngine {
  return async (clock, randomness) => {
    const database = openDatabase(':memory:');
    const keys = await openKeyRing(database, { provider: providerOf(randomness), randomness, clock });
    return {
      store: createSqliteFactStore(database, keys),
      meta: createSqliteMeta(database),
      revocations: createRevocationStore(database),
      sessions: createSessionStore(database, keys, { clock, idleMs: SESSION_IDLE_MS }),
      close: () => database.close(),
    };
  };
}
