import type { Clock } from '../clock.ts';
import { sha256Base64url } from '../digest.ts';
import { readCredential } from './credential-header.ts';
import type { OutsideIssuer } from './outside-issuer.ts';
import type { CheckProof, ProofRequest } from './possession-proof.ts';
import { createRecentlyUsed } from './recently-used.ts';
import { MAX_CLOCK_TOLERANCE_SECONDS, type RevocationRegistry } from './revocation-registry.ts';
import { createTokenReader, type TokenExpectations } from './token-reader.ts';
import { refuse, type TokenFailure, type TokenVerification, type VerifiedToken } from './verified-token.ts';

/** How long a checked signature counts, so that a key taken out of the issuer's set stops counting. */
const RECHECK_SECONDS = 300;
const DEFAULT_CACHE_SIZE = 4096;

export interface TokenVerifierOptions extends TokenExpectations {
  readonly clock: Clock;
  /** Must be loaded before the first token is verified. */
  readonly revocations: RevocationRegistry;
  /** Another issuer whose tokens count too. */
  readonly outside?: OutsideIssuer | undefined;
  /** Judges proofs of possession; without it tokens that are bound to a key count nowhere. */
  readonly checkProof?: CheckProof | undefined;
  /** How far the issuer's clock may differ, 0 to 300; 0 by default. */
  readonly clockToleranceSeconds?: number;
  /** How many checked tokens are remembered; 4096 by default. */
  readonly cacheSize?: number;
}

export interface TokenVerifier {
  /**
   * Verifies the bearer token of a request's `Authorization` header: all its values, if the server keeps
   * them apart. A token is taken from nowhere else, least of all from the query string. Rejects only when
   * the issuer's keys cannot be had. `request` is what a proof of possession (RFC 9449) has to be for.
   */
  verify(
    authorization: string | readonly string[] | undefined,
    request?: ProofRequest,
  ): Promise<TokenVerification>;
  /** Whether the token still holds, by the clock and the revocations: ask again while a stream is open. */
  isLive(token: VerifiedToken): boolean;
}

/** Verifies JWT access tokens (RFC 9068) that `issuer` made for `audience`. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { clock, revocations, clockToleranceSeconds = 0, cacheSize = DEFAULT_CACHE_SIZE } = options;
  if (!(clockToleranceSeconds >= 0 && clockToleranceSeconds <= MAX_CLOCK_TOLERANCE_SECONDS)) {
    throw new RangeError(`clockToleranceSeconds must be 0 to ${MAX_CLOCK_TOLERANCE_SECONDS}`);
  }
  const readOwn = createTokenReader(options);
  const checked = createRecentlyUsed<{
    readonly token: VerifiedToken;
    readonly at: number;
    readonly until: number;
  }>(cacheSize);

  function failureNow(token: VerifiedToken): TokenFailure | undefined {
    const now = clock.now() / 1000;
    if (now >= token.expiresAt + clockToleranceSeconds) return 'expired';
    if (now < token.notBefore - clockToleranceSeconds) return 'not_yet_valid';
    return token.revocationKeys.some((key) => revocations.isRevoked(key)) ? 'revoked' : undefined;
  }

  function admit(token: VerifiedToken): TokenVerification {
    const failure = failureNow(token);
    return failure === undefined ? { kind: 'verified', token } : refuse(failure);
  }

  function recall(key: string): VerifiedToken | undefined {
    const entry = checked.get(key);
    if (entry === undefined) return undefined;
    const now = clock.now() / 1000;
    return now >= entry.at && now < entry.until ? entry.token : undefined;
  }

  async function readAndAdmit(compact: string, key: string): Promise<TokenVerification> {
    const at = clock.now() / 1000;
    const { outside } = options;
    const outcome = await (outside?.mayHaveMade(compact) ? outside.read(compact) : readOwn(compact));
    if (outcome.kind === 'refused') return outcome;
    // Of an opaque token the issuer may say tomorrow what it does not say today, so its end is no last word.
    const isOpaque = compact.split('.').length !== 3;
    const recheckAt = at + RECHECK_SECONDS;
    const until = isOpaque ? Math.min(outcome.token.expiresAt, recheckAt) : recheckAt;
    checked.set(key, { token: outcome.token, at, until });
    // After the wait: a revocation may have come while the signature was checked.
    return admit(outcome.token);
  }

  return {
    async verify(authorization, request) {
      const credential = readCredential(authorization);
      if (credential.kind === 'refused') return credential;
      const { scheme, token: compact } = credential;
      const key = sha256Base64url(compact);
      const known = recall(key);
      const outcome = known === undefined ? await readAndAdmit(compact, key) : admit(known);
      if (outcome.kind === 'refused') return outcome;
      const { confirmation } = outcome.token;
      if (scheme === 'bearer') return confirmation === undefined ? outcome : refuse('wrong_scheme');
      if (confirmation === undefined || request === undefined) return refuse('wrong_scheme');
      const proven = await options.checkProof?.({ token: compact, confirmation, request });
      if (proven !== 'proven') return refuse(proven ?? 'wrong_scheme');
      // After the wait: a revocation may have come while the proof was judged.
      return admit(outcome.token);
    },
    isLive: (token) => failureNow(token) === undefined,
  };
}
