import { ledgerContract } from '@unsay/live-resources/testing';
import { openPostgresLedger } from '../../testing/open-postgres-ledger.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';

ledgerContract('PostgreSQL ledger, sealed', () => openPostgresLedger());
ledgerContract('PostgreSQL ledger in plain bytes', () => openPostgresLedger(plaintextProvider));
