import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createAccounts,
  createSigningKey,
  createTokenIssuer,
  jwks,
  loadSigningKeys,
  serializeSigningKeys,
} from '@unsay/auth/authorization-server';
import {
  createOutsideIssuer,
  createProofCheck,
  createRevocationRegistry,
  createTokenRevoker,
  createTokenVerifier,
} from '@unsay/auth/resource-server';
import {
  type Clock,
  createCursorCodec,
  createLiveResources,
  type Principal,
  type Randomness,
} from '@unsay/live-resources';
import {
  awaitsKeys,
  backUpDatabase,
  createAccountStore,
  createListenerStore,
  createLocalKeyProvider,
  createOAuthRecordStore,
  createOneTimeIds,
  createPasskeyStore,
  createRevocationStore,
  createSessionStore,
  createSqliteFactStore,
  createSqliteMeta,
  type KeyProvider,
  openDatabase,
  openKeyRing,
  plaintextProvider,
  type SqliteDatabase,
  STORE_FILE,
} from '@unsay/storage';
import { createAuditTrail } from './audit/audit-trail.ts';
import { refuseUnfinishedRestore } from './backup/restore-folder.ts';
import { ALL_SCOPES, carePartition } from './domain/care-partition.ts';
import { refuseUnfinishedImport } from './export/import-mark.ts';
import { createLog } from './observation/log.ts';
import { createObservation } from './observation/observation.ts';
import { isTracingRegistered } from './observation/registered-tracing.ts';
import type { OpenFolder } from './open-folder.ts';
import { seedFolder } from './operations/seed-operation.ts';
import { type Running, refuseTakenPort, runServer, SESSION_IDLE_MS } from './run-server.ts';
import { asTyped } from './settings/as-typed.ts';
import { makeFolder } from './settings/make-folder.ts';
import { MASTER_KEY_FILE, readMasterKey } from './settings/master-key.ts';
import { keepSecret, keptSecret } from './settings/secrets.ts';
import { SettingError, type Settings } from './settings/settings.ts';
import { createListeners } from './sign-in/listeners.ts';

// The only file that reads the machine's clock and its randomness, and the only one that builds a store.

// Drawn in bulk: a version needs many short salts, and each call of the system costs more than their bytes.
let pool = new Uint8Array(0);

const randomness: Randomness = {
  bytes(_purpose, _record, length) {
    if (pool.length < length) pool = new Uint8Array(randomBytes(Math.max(4096, length)));
    const bytes = pool.slice(0, length);
    pool.fill(0, 0, length);
    pool = pool.subarray(length);
    return bytes;
  },
};

function createClock(setting: string | null): Clock {
  if (setting === null) return { now: () => Date.now() };
  if (!setting.startsWith('file:')) {
    const fixed = Date.parse(setting);
    return { now: () => fixed };
  }
  return fileClock(setting.slice('file:'.length));
}

// A file that is just being rewritten reads as empty, or is not there: the time before it still holds then.
function fileClock(path: string): Clock {
  const read = (): number => {
    try {
      return Date.parse(readFileSync(path, 'utf8').trim());
    } catch {
      return Number.NaN;
    }
  };
  let last = read();
  if (Number.isNaN(last)) throw new SettingError(`UNSAY_CLOCK names ${path}, which holds no ISO instant.`);
  return {
    now() {
      const now = read();
      if (!Number.isNaN(now)) last = now;
      return last;
    },
  };
}

/**
 * Opens a data folder, makes what is missing in it, and owns it until it is closed.
 *
 * @throws StorageError when the folder cannot be used, with what to do.
 */
export async function openFolder(settings: Settings): Promise<OpenFolder> {
  const clock = createClock(settings.clock);
  refuseUnfinishedRestore(settings.data);
  makeFolder(settings.data);
  const database = openDatabase(settings.data);
  try {
    const meta = createSqliteMeta(database);
    const provider = await keyProvider(settings, database);
    const keys = await openKeyRing(database, { provider, randomness, clock });
    const live = createLiveResources({
      partition: carePartition,
      store: createSqliteFactStore(database, keys),
      clock,
      randomness,
      defaultAuthorLabel: 'your care team',
      blobLimit: settings.blobLimit,
      cursors: createCursorCodec(Buffer.from(cursorKey(settings), 'hex')),
    });
    const signingKeys = loadOrMakeSigningKeys(settings);
    const revocations = createRevocationRegistry(createRevocationStore(database), clock);
    await revocations.load();
    const accountStore = createAccountStore(database, keys);
    const listenerStore = createListenerStore(database, keys);
    const address = (): string => {
      return settings.publicUrl ?? meta.get('public_url') ?? `http://localhost:${settings.port}`;
    };
    const expectations = () => ({
      issuer: address(),
      audience: `${address()}/mcp`,
      keys: jwks(signingKeys),
    });
    return {
      live,
      meta,
      sessions: createSessionStore(database, keys, { clock, idleMs: SESSION_IDLE_MS }),
      clock,
      sealedBy: { provider: keys.provider, keyId: keys.keyId },
      trail: createAuditTrail(live.store, settings.auditLog, createLog(clock).fault),
      operator: everything('operator'),
      signingKeys,
      rotateSigningKey: () => rotateSigningKey(settings),
      revocations,
      signIn: {
        accounts: accountStore,
        passkeys: createPasskeyStore(database, keys),
        records: createOAuthRecordStore(database, keys, clock),
        cookieKey: createHmac('sha256', cursorKey(settings)).update('cookies of sign-in').digest('hex'),
      },
      accounts: createAccounts({ store: accountStore, revocations, clock, scopes: ALL_SCOPES }),
      listeners: createListeners({ store: listenerStore, revocations, clock, randomness }),
      issuer: () => createTokenIssuer({ ...expectations(), key: signingKeys[0], clock, randomness }),
      verifier: () =>
        createTokenVerifier({
          ...expectations(),
          clock,
          revocations,
          outside: outsideIssuer(settings, expectations().audience, clock),
          checkProof: createProofCheck({ clock, ids: createOneTimeIds(database, keys, clock) }),
        }),
      revoker: () => createTokenRevoker({ ...expectations(), revocations }),
      hooks: {
        published() {},
        revoked() {},
        watch: () => () => undefined,
        pair: async () => ({
          ok: false,
          data: { error: 'No server runs on this folder.', next: `Start one with ${asTyped('serve')}.` },
        }),
      },
      path: settings.data,
      backUp: (file) => backUpDatabase(database, file),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the folder and serves it. Resolves when the server answers; `print` gets what a person reads. */
export async function serve(settings: Settings, print: (line: string) => void): Promise<Running> {
  if (!existsSync(join(settings.data, STORE_FILE))) await refuseTakenPort(settings);
  const folder = await openFolder(settings);
  try {
    refuseUnfinishedImport(folder.meta);
    if (settings.seed === 'demo') await seedFolder(folder);
    const secretText = settings.writeSecret ?? secret(settings, 'write-secret', 32);
    const monotonicNow = (): number => performance.now();
    const observation = createObservation({
      clock: folder.clock,
      monotonicNow,
      secret: Buffer.from(cursorKey(settings), 'hex'),
      isTraced: () => isTracingRegistered(globalThis),
      level: settings.log,
    });
    // Node would print the message, which may hold anything.
    process.on('uncaughtException', (error) => {
      observation.onFault(error);
      process.exit(1);
    });
    return await runServer({
      folder,
      settings,
      print,
      randomness,
      system: everything('system'),
      systemKey: createSecretKey(Buffer.from(secretText, 'utf8')),
      monotonicNow,
      observation,
    });
  } catch (error) {
    folder.close();
    throw error;
  }
}

function outsideIssuer({ authServer, authClient }: Settings, audience: string, clock: Clock) {
  if (authServer === null) return undefined;
  return createOutsideIssuer({ issuer: authServer, audience, clock, client: authClient ?? undefined });
}

function everything(sub: string): Principal {
  return { sub, clientId: 'unsay', scopes: new Set(ALL_SCOPES), subjects: '*' };
}

function cursorKey(settings: Settings): string {
  return secret(settings, 'cursor-key', 32);
}

function secret(settings: Settings, name: string, bytes: number): string {
  return keptSecret(settings.data, name, () =>
    Buffer.from(randomness.bytes(name, settings.data, bytes)).toString('hex'),
  );
}

async function keyProvider(settings: Settings, database: SqliteDatabase): Promise<KeyProvider> {
  const isNew = await awaitsKeys(database, settings.keyProvider);
  if (settings.keyProvider === 'none') return plaintextProvider;
  const masterKey = readMasterKey(settings, isNew ? () => secret(settings, MASTER_KEY_FILE, 32) : null);
  return createLocalKeyProvider(masterKey, randomness);
}

const TOKEN_KEYS = 'token-key.json';
/** Older keys that still count. A token lives for a year at most, and nobody rotates more often than every few weeks. */
const MOST_OLDER_KEYS = 16;

function rotateSigningKey(settings: Settings): ReturnType<OpenFolder['rotateSigningKey']> {
  const older = loadOrMakeSigningKeys(settings).slice(0, MOST_OLDER_KEYS);
  const key = createSigningKey();
  keepSecret(settings.data, TOKEN_KEYS, serializeSigningKeys([key, ...older]));
  return { keyId: key.kid, older: older.length };
}

function loadOrMakeSigningKeys(settings: Settings): OpenFolder['signingKeys'] {
  const text = keptSecret(settings.data, TOKEN_KEYS, () => serializeSigningKeys([createSigningKey()]));
  const loaded = loadSigningKeys(text);
  if (loaded.kind !== 'loaded') {
    throw new Error(
      'token-key.json in the data folder is damaged. Put back a copy, or move it away: every token then ends.',
    );
  }
  return loaded.keys;
}
