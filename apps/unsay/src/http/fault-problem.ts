import { IssuerUnavailable } from '@unsay/auth/resource-server';
import { StorageError, type StorageErrorCode } from '@unsay/storage';
import type { ProblemCode, ProblemExtra } from './problem.ts';

/** How an exception is answered. */
export interface FaultProblem {
  readonly code: ProblemCode;
  readonly extra: ProblemExtra;
}

const INTERNAL: FaultProblem = { code: 'internal', extra: {} };

const ISSUER_UNAVAILABLE: FaultProblem = {
  code: 'not_ready',
  extra: {
    detail: 'The issuer of the token cannot be asked, so nobody can say whether it counts.',
    next: 'Try again in a moment; if it happens again, have the operator look at UNSAY_AUTH_SERVER.',
  },
};

// What a disk can refuse and give again, without a new start. The store's own sentence names paths, so it is
// for the operator alone.
const PASSING: Partial<Readonly<Record<StorageErrorCode, ProblemExtra>>> = {
  full: {
    detail: 'There is no room left for the store; nothing was written.',
    next: 'Have the operator free some space, then send the same request again.',
  },
  unwritable: {
    detail: 'The store cannot be written to; nothing was written.',
    next: 'Have the operator make it writable, then send the same request again.',
  },
  unreachable: {
    detail: 'The database cannot be reached.',
    next: 'Send the same request again in a moment; if it happens again, have the operator look at the database.',
  },
  in_use: {
    detail: 'The store is kept busy; nothing was written.',
    next: 'Send the same request again in a moment; if it happens again, have the operator look at the database.',
  },
  outcome_unknown: {
    detail: 'The database was lost while the change was being written, and whether it was is not known.',
    next: 'Send the same request again with its idempotency-key, or read the fact first.',
  },
  // A write that was to reach the disk may stand there after all when the server starts the next time.
  io_failed: {
    detail: 'The operating system could not read or write the store.',
    next: 'Have the operator check the disk and its quota or free some space, then send the same request again, with its idempotency-key.',
  },
};

/** What a caller is told of an exception, which is nothing of the inside. */
export function problemOfFault(error: unknown): FaultProblem {
  if (error instanceof IssuerUnavailable) return ISSUER_UNAVAILABLE;
  const extra = error instanceof StorageError ? PASSING[error.code] : undefined;
  return extra === undefined ? INTERNAL : { code: 'not_ready', extra };
}
