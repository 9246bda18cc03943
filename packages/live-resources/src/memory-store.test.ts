import { storeContract } from '../testing/store-contract.ts';
import { createMemoryStore } from './memory-store.ts';

storeContract('memory store', async () => ({ store: createMemoryStore(), close: async () => {} }));
