import { ledgerContract } from '@unsay/live-resources/testing';
import { openSqliteLedger } from '../../testing/open-sqlite-ledger.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';

ledgerContract('SQLite ledger, sealed', () => openSqliteLedger());
ledgerContract('SQLite ledger in plain bytes', () => openSqliteLedger(plaintextProvider));
