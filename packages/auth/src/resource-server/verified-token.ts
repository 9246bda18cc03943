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
  /** The grant that it was made for, where an authorization server made it. */
  readonly grantId: string | undefined;
  /** Which rights of its account it was made from: see `Account.epoch`. */
  readonly accountEpoch: number | undefined;
  /** RFC 7638 thumbprint of the one key whose holder may use it (RFC 9449); undefined for whoever bears it. */
  readonly confirmation: string | undefined;
  /** All that ends it before its time, its own hash first. */
  readonly revocationKeys: readonly string[];
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
  | 'revoked'
  /** A token that is bound to a key came alone, or one that is not came with a proof. */
  | 'wrong_scheme'
  /** The proof that its holder has the key is none, is for another request, or was made at another time. */
  | 'bad_proof'
  | 'proof_replayed';

export interface TokenRefused {
  readonly kind: 'refused';
  readonly failure: TokenFailure;
}

export type TokenVerification = { readonly kind: 'verified'; readonly token: VerifiedToken } | TokenRefused;

export function refuse(failure: TokenFailure): TokenRefused {
  return { kind: 'refused', failure };
}
