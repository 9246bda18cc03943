import { grantSubject, listSubjects, revokeSubject } from './account-operations.ts';
import { backUp, importExport } from './copy-operations.ts';
import { factHistory, readFact, writeFact } from './fact-operations.ts';
import { addListener, listListeners, revokeListener } from './listener-operations.ts';
import { pairPage, readAudit } from './log-operations.ts';
import type { Operation } from './operation.ts';
import { listPasskeys, removePasskey } from './passkey-operations.ts';
import { seedStore } from './seed-operation.ts';
import { mintToken, revokeToken, rotateTokenKey } from './token-operations.ts';
import { verifyStore } from './verify-operation.ts';

/** Every operation by the name it has on the control socket. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'token-mint': mintToken,
  'token-revoke': revokeToken,
  'token-rotate-key': rotateTokenKey,
  read: readFact,
  history: factHistory,
  write: writeFact,
  audit: readAudit,
  verify: verifyStore,
  seed: seedStore,
  import: importExport,
  backup: backUp,
  pair: pairPage,
  'subject-grant': grantSubject,
  'subject-revoke': revokeSubject,
  'subject-list': listSubjects,
  'passkey-list': listPasskeys,
  'passkey-remove': removePasskey,
  'listener-add': addListener,
  'listener-list': listListeners,
  'listener-revoke': revokeListener,
};
