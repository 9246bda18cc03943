import type { RevocationRegistry } from './revocation-registry.ts';
import { createTokenReader, type TokenExpectations } from './token-reader.ts';
import type { TokenFailure } from './verified-token.ts';

export type RevokeOutcome =
  /** The token is refused from now on, also after a restart; also when it had ended or been revoked before. */
  | { readonly kind: 'revoked' }
  /** The text is no access token at all. */
  | { readonly kind: 'not_a_token' }
  /** This resource would never have accepted it, so there is nothing to end. */
  | { readonly kind: 'not_ours' };

export interface TokenRevokerOptions extends TokenExpectations {
  readonly revocations: RevocationRegistry;
}

export interface TokenRevoker {
  /** Rejects when the revocation could not be made durable, or the issuer's keys cannot be had. */
  revoke(compact: string): Promise<RevokeOutcome>;
}

/**
 * Ends tokens before their time (the resource's side of RFC 7009). The signature is checked first, so
 * that nobody can fill the store with, or pass off, what the issuer never made.
 */
export function createTokenRevoker(options: TokenRevokerOptions): TokenRevoker {
  const readToken = createTokenReader(options);
  return {
    async revoke(compact) {
      const outcome = await readToken(compact);
      if (outcome.kind === 'refused') return { kind: whyNothingToRevoke(outcome.failure) };
      await options.revocations.revoke(outcome.token);
      return { kind: 'revoked' };
    },
  };
}

function whyNothingToRevoke(failure: TokenFailure): 'not_a_token' | 'not_ours' {
  return failure === 'malformed' || failure === 'wrong_type' ? 'not_a_token' : 'not_ours';
}
