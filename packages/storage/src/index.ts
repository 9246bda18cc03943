export { type DataKeyContext, type KeyProvider, plaintextProvider } from './envelope/key-provider.ts';
export { createLocalKeyProvider } from './envelope/local-key-provider.ts';
export { KEY_LENGTH } from './envelope/sealing-key.ts';
export { type AccountStore, createSqliteAccountStore, type KeptAccount } from './sqlite/account-store.ts';
export { backUpDatabase } from './sqlite/backup.ts';
export { STORE_FILE } from './sqlite/data-folder.ts';
export type { SqliteDatabase } from './sqlite/database.ts';
export { createSqliteFactStore } from './sqlite/fact-store.ts';
export { awaitsKeys, type KeyRing, type KeyRingParts, openKeyRing } from './sqlite/key-ring.ts';
export { createSqliteLedgerStore } from './sqlite/ledger-store.ts';
export { createSqliteListenerStore, type KeptListener, type ListenerStore } from './sqlite/listener-store.ts';
export { createSqliteMeta, type Meta } from './sqlite/meta.ts';
export {
  createSqliteOAuthRecordStore,
  type KeptOAuthRecord,
  type OAuthRecord,
  type OAuthRecordStore,
} from './sqlite/oauth-record-store.ts';
export { createSqliteOneTimeIds, type OneTimeIds } from './sqlite/one-time-ids.ts';
export { openDatabase } from './sqlite/open-database.ts';
export { createSqlitePasskeyStore, type KeptPasskey, type PasskeyStore } from './sqlite/passkey-store.ts';
export {
  createSqliteRevocationStore,
  type RevocationStore,
  type RevokedToken,
} from './sqlite/revocation-store.ts';
export { createSqliteSessionStore, type KeptSession, type SessionStore } from './sqlite/session-store.ts';
export { StorageError, type StorageErrorCode } from './storage-error.ts';
