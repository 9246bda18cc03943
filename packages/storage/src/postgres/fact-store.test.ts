import { storeContract } from '@unsay/live-resources/testing';
import { openPostgresStore } from '../../testing/open-postgres-store.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';

storeContract('PostgreSQL store, sealed', () => openPostgresStore());
storeContract('PostgreSQL store in plain bytes', () => openPostgresStore(plaintextProvider));
