import { EVERY_SUBJECT } from '../access-token-format.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';
import type { Rights } from './rights.ts';

/** In bytes of JSON, so that no token is too long to be read. */
const MAX_SUBJECTS_BYTES = 4096;

export interface GrantedClaims {
  readonly iat: number;
  readonly exp: number;
  /** Subject ids, or `['*']`. */
  readonly subjects: readonly string[];
  /** Its end ends the token. */
  readonly grant_id: string;
  /** Of the account; a token of an earlier one counts no longer. */
  readonly account_epoch: number;
}

/**
 * What an access token says beyond RFC 9068. The times are ours, not the library's, which knows no clock but the
 * system's. Undefined when the subjects do not fit into a token.
 */
export function accessTokenClaims(rights: Rights, grantId: string, now: number): GrantedClaims | undefined {
  const subjects = rights.subjects === '*' ? [EVERY_SUBJECT] : rights.subjects;
  if (Buffer.byteLength(JSON.stringify(subjects)) > MAX_SUBJECTS_BYTES) return undefined;
  return {
    iat: now,
    exp: now + ACCESS_TOKEN_SECONDS,
    subjects,
    grant_id: grantId,
    account_epoch: rights.epoch,
  };
}
