import { storeContract } from '@unsay/live-resources/testing';
import { openSqliteStore } from '../../testing/open-sqlite-store.ts';

storeContract('SQLite store', openSqliteStore);
