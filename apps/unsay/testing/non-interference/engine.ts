import type { RevocationStore } from '@unsay/auth/resource-server';
import { type Clock, createMemoryStore, type FactStore, type Randomness } from '@unsay/live-resources';
import type { SessionRepository, StoredSession } from '@unsay/mcp';
import {
  createLocalKeyProvider,
  createPostgresFactStore,
  createRevocationStore,
  createSessionStore,
  createSqliteFactStore,
  createSqliteMeta,
  type KeyProvider,
  type Meta,
  openDatabase,
  openKeyRing,
  openMeta,
  plaintextProvider,
} from '@unsay/storage';
import { SESSION_IDLE_MS } from '../../src/run-server.ts';

/** Where one world keeps what it knows. */
export interface Engine {
  readonly store: FactStore;
  readonly meta: Meta;
  readonly sessions: SessionRepository;
  readonly revocations: RevocationStore;
  close(): void | Promise<void>;
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

/** An engine by name. */
export interface NamedEngine {
  readonly name: string;
  readonly open: OpenEngine;
}

/** The engines that need no other process. */
export const OWN_ENGINES: readonly NamedEngine[] = [
  { name: 'memory', open: openMemory },
  { name: 'SQLite in plaintext', open: sqlite(() => plaintextProvider) },
  {
    name: 'SQLite, sealed',
    open: sqlite((randomness) => createLocalKeyProvider(MASTER_KEY, randomness)),
  },
];

/** Every engine there is. On PostgreSQL each statement is a way to another process, and a trace has thousands. */
export const ENGINES: readonly NamedEngine[] = [
  ...OWN_ENGINES,
  { name: 'PostgreSQL, sealed', open: openPostgres },
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

async function openPostgres(clock: Clock, randomness: Randomness): Promise<Engine> {
  const { temporarySchema } = await import('@unsay/storage/testing');
  const schema = await temporarySchema();
  const database = await schema.open();
  const provider = createLocalKeyProvider(MASTER_KEY, randomness);
  const keys = await openKeyRing(database, { provider, randomness, clock });
  return {
    store: createPostgresFactStore(database, keys),
    meta: await openMeta(database),
    revocations: createRevocationStore(database),
    sessions: createSessionStore(database, keys, { clock, idleMs: SESSION_IDLE_MS }),
    async close() {
      await database.close();
      await schema.close();
    },
  };
}
