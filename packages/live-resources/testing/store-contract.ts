import { describe } from 'vitest';
import { appendContract } from './append-contract.ts';
import { auditContract } from './audit-contract.ts';
import { contentContract } from './content-contract.ts';
import { correctionContract } from './correction-contract.ts';
import { journalContract } from './journal-contract.ts';
import { modelContract } from './model-contract.ts';
import { nonceContract } from './nonce-contract.ts';
import type { OpenStore } from './open-store.ts';
import { queryContract } from './query-contract.ts';
import { requestContract } from './request-contract.ts';

/**
 * What every {@link FactStore} must do, sentence by sentence of its contract. Called at the top of a test
 * file; `open` gives a new and empty store each time.
 */
export function storeContract(name: string, open: () => Promise<OpenStore>): void {
  describe(`${name}: store contract`, () => {
    appendContract(open);
    nonceContract(open);
    requestContract(open);
    auditContract(open);
    journalContract(open);
    queryContract(open);
    correctionContract(open);
    contentContract(open);
    modelContract(open);
  });
}
