import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RevocationStore } from '@unsay/auth/resource-server';
import { type Clock, createMemoryStore, type FactStore, type Randomness } from '@unsay/live-resources';
import type { SessionRepository } from '@unsay/mcp';
import {
  createLocalKeyProvider,
  createRevocationStore,
  createSessionStore,
  createSqliteFactStore,
  createSqliteMeta,
  type Meta,
  openDatabase,
  openKeyRing,
  STORE_FILE,
} from '@unsay/storage';
import { SESSION_IDLE_MS } from '../../src/run-server.ts';
import { memorySessions } from '../non-interference/engine.ts';
import type { Chance } from './chance.ts';

/** What a node opens of its engine. */
export interface OpenStore {
  readonly store: FactStore;
  readonly meta: Meta;
  readonly sessions: SessionRepository;
  readonly revocations: RevocationStore;
}

/** Where a server keeps what must outlive it. */
export interface Engine {
  /** Opens what is kept, for the next node. */
  open(clock: Clock, randomness: Randomness): Promise<OpenStore>;
  /** The server answered: what is kept at this moment was promised. */
  answered(): void;
  /** The node is killed at this very moment: what a later one will find is what is there now. */
  killed(): void;
  /** Gives everything up. */
  close(): void;
}

export const ENGINE_NAMES = ['memory', 'sqlite'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** An empty engine. */
export function createEngine(name: EngineName, chance: Chance): Engine {
  return name === 'memory' ? memoryEngine() : sqliteEngine(chance);
}

function memoryEngine(): Engine {
  const store = createMemoryStore();
  const known = new Map<string, string>();
  const revoked = new Map<string, number>();
  const kept: OpenStore = {
    store,
    sessions: memorySessions(),
    meta: { get: (key) => known.get(key) ?? null, set: async (key, value) => void known.set(key, value) },
    revocations: {
      add: async (tokenHash, expiresAt) => void revoked.set(tokenHash, expiresAt),
      all: async () => [...revoked].map(([tokenHash, expiresAt]) => ({ tokenHash, expiresAt })),
    },
  };
  return {
    open: async () => kept,
    answered: () => undefined,
    killed: () => undefined,
    close: () => undefined,
  };
}

const MASTER_KEY = new Uint8Array(32).fill(5);
// What is simulated is the death of a process, whose writes the machine keeps: no disk has to be waited for.
const FAST_FOLDER = '/dev/shm';

function sqliteEngine(chance: Chance): Engine {
  const place = mkdtempSync(join(existsSync(FAST_FOLDER) ? FAST_FOLDER : tmpdir(), 'unsay-simulation-'));
  const closers: (() => void)[] = [];
  let generation = 0;
  let promised = 0;
  const folder = (): string => join(place, String(generation));
  const log = (): string => `${join(folder(), STORE_FILE)}-wal`;
  const logSize = (): number => statSync(log(), { throwIfNoEntry: false })?.size ?? 0;
  return {
    async open(clock, randomness) {
      mkdirSync(folder(), { recursive: true, mode: 0o700 });
      const database = openDatabase(folder());
      closers.push(() => database.close());
      const provider = createLocalKeyProvider(MASTER_KEY, randomness);
      const keys = await openKeyRing(database, { provider, randomness, clock });
      promised = logSize();
      return {
        store: createSqliteFactStore(database, keys),
        meta: createSqliteMeta(database),
        sessions: createSessionStore(database, keys, { clock, idleMs: SESSION_IDLE_MS }),
        revocations: createRevocationStore(database),
      };
    },
    answered() {
      promised = logSize();
    },
    killed() {
      const [from, size] = [folder(), logSize()];
      generation += 1;
      mkdirSync(folder(), { mode: 0o700 });
      for (const name of [STORE_FILE, `${STORE_FILE}-wal`]) {
        if (existsSync(join(from, name))) copyFileSync(join(from, name), join(folder(), name));
      }
      // Killed while it wrote: of what nobody was promised, any part may be there.
      if (size > promised) truncateSync(log(), chance.between(promised, size));
    },
    close() {
      for (const close of closers) close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
