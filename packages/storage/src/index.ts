export { STORE_FILE } from './sqlite/data-folder.ts';
export type { SqliteDatabase } from './sqlite/database.ts';
export { createSqliteFactStore } from './sqlite/fact-store.ts';
export { createSqliteMeta, type Meta } from './sqlite/meta.ts';
export { openDatabase } from './sqlite/open-database.ts';
export {
  createSqliteRevocationStore,
  type RevocationStore,
  type RevokedToken,
} from './sqlite/revocation-store.ts';
export { StorageError, type StorageErrorCode } from './storage-error.ts';
