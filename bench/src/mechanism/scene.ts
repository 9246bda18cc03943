import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCursorCodec,
  createLiveResources,
  definePartition,
  type LiveResources,
  type Principal,
  type Publication,
  parseDraft,
  type Randomness,
} from '@unsay/live-resources';
import {
  backUpDatabase,
  createLocalKeyProvider,
  createSqliteFactStore,
  type KeyProvider,
  openDatabase,
  openKeyRing,
} from '@unsay/storage';

export const PARTITION = definePartition({
  audiences: [
    { audience: 'user', scheme: 'fact', readScope: 'read.user', speakable: true },
    { audience: 'assistant', scheme: 'fact-internal', readScope: 'read.assistant', speakable: false },
  ],
  writeScope: 'write',
});

let pool: Uint8Array = new Uint8Array();

/** Drawn in pieces from a pool, as a server draws them: a call for each costs several times as much. */
export const RANDOMNESS: Randomness = {
  bytes(_purpose, _record, length) {
    if (pool.length < length) pool = new Uint8Array(randomBytes(Math.max(4096, length)));
    const drawn = pool.slice(0, length);
    pool = pool.subarray(length);
    return drawn;
  },
};

/** May write and read everything. */
export const WRITER: Principal = {
  sub: 'bench',
  clientId: 'bench',
  scopes: new Set(['read.user', 'read.assistant', 'write']),
  subjects: '*',
};

/** The mechanism on a sealed store, with nothing of a server around it. */
export interface Scene {
  readonly live: LiveResources;
  /** Publishes words that were never said before; throws unless it was published. */
  publish(uri: string): Promise<void>;
  /** Copies the store as it is now. */
  copyTo(file: string): void;
  close(): void;
}

/** A folder for one run; what removes it is added to `closers`. */
export function benchFolder(closers: (() => unknown)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'unsay-bench-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function openScene(
  parent: string,
  name: string,
  provider: KeyProvider = createLocalKeyProvider(randomBytes(32), RANDOMNESS),
): Promise<Scene> {
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  const clock = { now: () => Date.now() };
  const db = openDatabase(folder);
  const keys = await openKeyRing(db, { provider, randomness: RANDOMNESS, clock });
  const live = createLiveResources({
    partition: PARTITION,
    store: createSqliteFactStore(db, keys),
    clock,
    randomness: RANDOMNESS,
    cursors: createCursorCodec(randomBytes(32)),
    defaultAuthorLabel: 'your care team',
  });
  let count = 0;
  return {
    live,
    async publish(uri) {
      count += 1;
      const outcome = await live.publish(WRITER, publicationOf(uri, count, clock.now()));
      if (outcome.kind !== 'published') throw new Error(`a publication ended as ${outcome.kind}`);
    },
    copyTo: (file) => backUpDatabase(db, file),
    close: () => db.close(),
  };
}

/** A signed correction with words of the kind that the demonstration says. */
function publicationOf(uri: string, count: number, now: number): Publication {
  const draft = parseDraft(PARTITION, {
    uri,
    value: `Partial weight-bearing: put no more than ${20 + (count % 10)} kilograms on your left leg, and use both crutches for every step (${String(count).padStart(7, '0')}).`,
    authorId: 'bench',
    authorLabel: 'the benchmark',
    staleAfter: null,
  });
  if (typeof draft === 'string') throw new Error(`a draft of the benchmark is malformed: ${draft}`);
  const expiresAt = new Date(now + 300_000).toISOString() as NonNullable<Publication['nonce']>['expiresAt'];
  return {
    draft,
    ifMatch: null,
    nonce: { id: randomBytes(32).toString('hex'), expiresAt },
    request: null,
    via: 'hmac',
    quiet: false,
  };
}
