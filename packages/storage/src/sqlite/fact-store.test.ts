import { storeContract } from '@unsay/live-resources/testing';
import { openSqliteStore } from '../../testing/open-sqlite-store.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';

storeContract('SQLite store, sealed', () => openSqliteStore());
storeContract('SQLite store in plain bytes', () => openSqliteStore(plaintextProvider));
