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
  createAccountStore,
  createListenerStore,
  createLocalKeyProvider,
  createOAuthRecordStore,
  createOneTimeIds,
  createPasskeyStore,
  createRevocationStore,
  createSessionStore,
  type KeyProvider,
  plaintextProvider,
  type SqliteDatabase,
  STORE_FILE,
} from '@unsay/storage';
import { createAuditTrail } from './audit/audit-trail.ts';
import { refuseUnfinishedRestore } from './backup/restore-folder.ts';
import { isServed } from './control/control-client.ts';
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
import { keptSecret } from './settings/secrets.ts';
import { SettingError, type Settings } from './settings/settings.ts';
import { createListeners } from './sign-in/listeners.ts';
import type { OpenStore, Secrets } from './store/open-store.ts';
import { openSqliteStore } from './store/sqlite-store.ts';

// The only file that reads the machine's clock and its randomness, and the only one that has a store built.

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
  const store = await openStore(settings, clock);
  try {
    const { tables, meta, keys, secrets } = store;
    const cursorKey = await secret(store, 'cursor-key', 32);
    const live = createLiveResources({
      partition: carePartition,
      store: store.facts,
      clock,
      randomness,
      defaultAuthorLabel: 'your care team',
      blobLimit: settings.blobLimit,
      cursors: createCursorCodec(Buffer.from(cursorKey, 'hex')),
    });
    const signingKeys = await loadOrMakeSigningKeys(secrets);
    const revocations = createRevocationRegistry(createRevocationStore(tables), clock);
    await revocations.load();
    const accountStore = createAccountStore(tables, keys);
    const listenerStore = createListenerStore(tables, keys);
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
      sessions: {
        ...createSessionStore(tables, keys, { clock, idleMs: SESSION_IDLE_MS }),
        isShared: settings.databaseUrl !== null,
      },
      clock,
      storeName: store.called,
      sealedBy: { provider: keys.provider, keyId: keys.keyId },
      trail: createAuditTrail(live.store, settings.auditLog, createLog(clock).fault),
      operator: everything('operator'),
      signingKeys,
      rotateSigningKey: () => rotateSigningKey(secrets),
      revocations,
      signIn: {
        accounts: accountStore,
        passkeys: createPasskeyStore(tables, keys),
        records: createOAuthRecordStore(tables, keys, clock),
        cookieKey: createHmac('sha256', cursorKey).update('cookies of sign-in').digest('hex'),
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
          checkProof: createProofCheck({ clock, ids: createOneTimeIds(tables, keys, clock) }),
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
      others: store.others,
      windowOf: store.windowOf,
      alone: store.alone,
      secret: (name, bytes) => secret(store, name, bytes),
      path: settings.data,
      backUp: store.backUp,
      close: store.close,
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Runs the migrations that a database lacks, or only names them. */
export async function migrateDatabase(
  url: string,
  options: { readonly dryRun: boolean },
): Promise<readonly string[]> {
  const { migratePostgres } = await import('./store/postgres-store.ts');
  return migratePostgres(url, { now: () => Date.now() }, options);
}

async function openStore(settings: Settings, clock: Clock): Promise<OpenStore> {
  const parts = { clock, randomness };
  if (settings.databaseUrl === null) {
    return openSqliteStore(settings.data, (database) => keyProvider(settings, database), parts);
  }
  // Loaded where it is used, like the driver that it loads.
  const { openPostgresStore } = await import('./store/postgres-store.ts');
  return openPostgresStore(settings.databaseUrl, localProvider(settings, null), parts);
}

/** Opens the folder and serves it. Resolves when the server answers; `print` gets what a person reads. */
export async function serve(settings: Settings, print: (line: string) => void): Promise<Running> {
  // The folder of a database's server holds no store whose lock would tell.
  if (settings.databaseUrl !== null && (await isServed(settings.data))) {
    throw new SettingError(
      `A server runs on ${settings.data} already. Stop it, or name another folder with --data.`,
    );
  }
  if (!existsSync(join(settings.data, STORE_FILE))) await refuseTakenPort(settings);
  const folder = await openFolder(settings);
  try {
    refuseUnfinishedImport(folder.meta);
    if (settings.seed === 'demo') await folder.alone(() => seedFolder(folder));
    const secretText = settings.writeSecret ?? (await folder.secret('write-secret', 32));
    const monotonicNow = (): number => performance.now();
    const observation = createObservation({
      clock: folder.clock,
      monotonicNow,
      secret: Buffer.from(await folder.secret('cursor-key', 32), 'hex'),
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
    await folder.close();
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

function secret({ secrets }: Pick<OpenStore, 'secrets'>, name: string, bytes: number): Promise<string> {
  return secrets.kept(name, () => drawn(name, bytes));
}

function drawn(name: string, bytes: number): string {
  return Buffer.from(randomness.bytes(name, '', bytes)).toString('hex');
}

async function keyProvider(settings: Settings, database: SqliteDatabase): Promise<KeyProvider> {
  const isNew = await awaitsKeys(database, settings.keyProvider);
  if (settings.keyProvider === 'none') return plaintextProvider;
  const make = (): string => keptSecret(settings.data, MASTER_KEY_FILE, () => drawn(MASTER_KEY_FILE, 32));
  return localProvider(settings, isNew ? make : null);
}

function localProvider(settings: Settings, make: (() => string) | null): KeyProvider {
  return createLocalKeyProvider(readMasterKey(settings, make), randomness);
}

const TOKEN_KEYS = 'token-key.json';
/** Older keys that still count. A token lives for a year at most, and nobody rotates more often than every few weeks. */
const MOST_OLDER_KEYS = 16;

async function rotateSigningKey(secrets: Secrets): ReturnType<OpenFolder['rotateSigningKey']> {
  const older = (await loadOrMakeSigningKeys(secrets)).slice(0, MOST_OLDER_KEYS);
  const key = createSigningKey();
  await secrets.keep(TOKEN_KEYS, serializeSigningKeys([key, ...older]));
  return { keyId: key.kid, older: older.length };
}

async function loadOrMakeSigningKeys(secrets: Secrets): Promise<OpenFolder['signingKeys']> {
  const text = await secrets.kept(TOKEN_KEYS, () => serializeSigningKeys([createSigningKey()]));
  const loaded = loadSigningKeys(text);
  if (loaded.kind !== 'loaded') {
    throw new Error(
      'token-key.json in the data folder is damaged. Put back a copy, or move it away: every token then ends.',
    );
  }
  return loaded.keys;
}
