import { sha256Base64url } from '../digest.ts';

/**
 * What ends more than one token at once, as a key of the revocation registry: 43 characters, like the hash of a token,
 * and no two of different kinds are one.
 */
export const revocationKey = {
  /** All tokens of one grant of an authorization server. */
  grant: (grantId: string): string => keyOf('grant', grantId),
  /** All tokens that carry this epoch of an account: those from before its rights were narrowed. */
  accountEpoch: (sub: string, epoch: number): string => keyOf('account', sub, epoch),
  /** All tokens of one client. */
  client: (clientId: string): string => keyOf('client', clientId),
} as const;

function keyOf(...parts: readonly (string | number)[]): string {
  return sha256Base64url(JSON.stringify(parts));
}
