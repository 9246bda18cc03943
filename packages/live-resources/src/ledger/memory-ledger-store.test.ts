import { ledgerContract } from '../../testing/ledger-contract.ts';
import { createMemoryStore } from '../memory-store.ts';
import { createMemoryLedgerStore } from './memory-ledger-store.ts';

ledgerContract('memory', async () => ({
  store: createMemoryStore(),
  ledger: createMemoryLedgerStore(),
  close: async () => {},
}));
