/** An access token whose signature, issuer, audience and form were checked. Times are epoch seconds. */
export interface VerifiedToken {
  /**
   * base64url SHA-256 of the token's signing input: header and payload, without the signature. An ES256
   * signature has a second valid form that anyone can compute, so a hash over all bytes would give one
   * token two names and let the second outlive a revocation.
   */
  readonly tokenHash: string;
  readonly jti: string;
  readonly sub: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The subjects granted, or `'*'` for every subject. A token without the claim grants none. */
  readonly subjects: ReadonlySet<string> | '*';
  readonly issuedAt: number;
  /** The later of `iat` and `nbf`. */
  readonly notBefore: number;
  readonly expiresAt: number;
}

/** Why no principal came of a request. For the audit and for metrics; the wire never shows the difference. */
export type TokenFailure =
  | 'missing'
  | 'malformed'
  | 'bad_signature'
  | 'wrong_algorithm'
  | 'wrong_type'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  | 'not_yet_valid'
  | 'revoked';

export interface TokenRefused {
  readonly kind: 'refused';
  readonly failure: TokenFailure;
}

export type TokenVerification = { readonly kind: 'verified'; readonly token: VerifiedToken } | TokenRefused;

export function refuse(failure: TokenFailure): TokenRefused {
  return { kind: 'refused', failure };
}
