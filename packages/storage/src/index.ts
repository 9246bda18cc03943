export { type DataKeyContext, type KeyProvider, plaintextProvider } from './envelope/key-provider.ts';
export { createLocalKeyProvider } from './envelope/local-key-provider.ts';
export { KEY_LENGTH } from './envelope/sealing-key.ts';
export { awaitsKeys, type KeyRing, type KeyRingParts, openKeyRing } from './keys/key-ring.ts';
export type { PostgresDatabase } from './postgres/database.ts';
export type { PostgresConnection, PostgresPool, PostgresQuery, PostgresResult } from './postgres/driver.ts';
export { createPostgresFactStore } from './postgres/fact-store.ts';
export { pendingMigrations } from './postgres/migrate.ts';
export { missingMigrations, openPostgres, type PostgresParts } from './postgres/open-postgres.ts';
export { createSecretStore, type SecretStore } from './postgres/secret-store.ts';
export { createSharedWindow, type SharedWindowOptions } from './postgres/shared-windows.ts';
export { openWakeUps, type WakeUpParts, type WakeUps } from './postgres/wake-ups.ts';
export { backUpDatabase } from './sqlite/backup.ts';
export { STORE_FILE } from './sqlite/data-folder.ts';
export type { SqliteDatabase } from './sqlite/database.ts';
export { createSqliteFactStore } from './sqlite/fact-store.ts';
export { createSqliteMeta } from './sqlite/meta.ts';
export { openDatabase } from './sqlite/open-database.ts';
export { StorageError, type StorageErrorCode } from './storage-error.ts';
export { type AccountStore, createAccountStore, type KeptAccount } from './stores/account-store.ts';
export { createLedgerStore } from './stores/ledger-store.ts';
export { createListenerStore, type KeptListener, type ListenerStore } from './stores/listener-store.ts';
export { type Meta, openMeta } from './stores/meta.ts';
export {
  createOAuthRecordStore,
  type KeptOAuthRecord,
  type OAuthRecord,
  type OAuthRecordStore,
} from './stores/oauth-record-store.ts';
export { createOneTimeIds, type OneTimeIds } from './stores/one-time-ids.ts';
export { createPasskeyStore, type KeptPasskey, type PasskeyStore } from './stores/passkey-store.ts';
export {
  createRevocationStore,
  type RevocationStore,
  type RevokedToken,
} from './stores/revocation-store.ts';
export { createSessionStore, type KeptSession, type SessionStore } from './stores/session-store.ts';
export type { Command, Tables } from './stores/tables.ts';
