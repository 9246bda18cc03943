import { createPrivateKey } from 'node:crypto';
import {
  ACCESS_TOKEN_ALGORITHM,
  ACCESS_TOKEN_TYPE,
  EVERY_SUBJECT,
  isIdentifier,
  isScopeToken,
  isSubjectId,
  MAX_ACCESS_TOKEN_LENGTH,
} from '../access-token-format.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { SigningKey } from './signing-key.ts';

/** One year of 365 days. */
const MAX_TTL_SECONDS = 31_536_000;
/** What a grant may add to a token, in bytes of JSON, so that no token is too long to be read. */
const MAX_GRANT_BYTES = 4096;
const JTI_BYTES = 16;

/** What a token lets its holder do. */
export interface TokenGrant {
  readonly sub: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Subject ids, or `['*']` for every subject. */
  readonly subjects: readonly string[];
  /** 1 to 31,536,000. */
  readonly ttlSeconds: number;
  /** Of the account of `sub`, where there is one: see `Account.epoch`. */
  readonly accountEpoch?: number | undefined;
}

export type GrantFault =
  | 'invalid_sub'
  | 'invalid_client_id'
  | 'invalid_scope'
  | 'invalid_subject'
  | 'invalid_ttl'
  | 'too_large';

export interface GrantRefused {
  readonly kind: 'refused';
  readonly fault: GrantFault;
}

export interface TokenMinted {
  readonly kind: 'minted';
  readonly token: string;
  readonly jti: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** The scopes granted, separated by spaces, as the token has them. */
  readonly scope: string;
}

export interface TokenIssuerOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

export interface TokenIssuer {
  /** Signs a JWT access token (RFC 9068) for the grant. */
  mint(grant: TokenGrant): Promise<TokenMinted | GrantRefused>;
  /** What `mint` would refuse the grant for, if anything. */
  faultOf(grant: TokenGrant): GrantFault | undefined;
}

/** Makes tokens of one issuer for one resource, all signed with one key. */
export function createTokenIssuer({
  issuer,
  audience,
  key,
  clock,
  randomness,
}: TokenIssuerOptions): TokenIssuer {
  const { kty, crv, x, y, d } = key;
  const privateKey = createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' });

  return {
    faultOf,
    async mint(grant) {
      const fault = faultOf(grant);
      if (fault !== undefined) return { kind: 'refused', fault };
      // Importing jose costs tens of milliseconds, which a start-up need not wait for.
      const { SignJWT } = await import('jose');
      const jti = Buffer.from(randomness.bytes('jti', grant.sub, JTI_BYTES)).toString('base64url');
      const issuedAt = epochSeconds(clock);
      const expiresAt = issuedAt + grant.ttlSeconds;
      const granted = grantClaims(grant);
      const claims = { iss: issuer, aud: audience, jti, iat: issuedAt, exp: expiresAt, ...granted };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: ACCESS_TOKEN_ALGORITHM, typ: ACCESS_TOKEN_TYPE, kid: key.kid })
        .sign(privateKey);
      if (token.length > MAX_ACCESS_TOKEN_LENGTH) throw new Error('issuer and audience are too long');
      return { kind: 'minted', token, jti, expiresAt, scope: granted.scope };
    },
  };
}

function grantClaims({ sub, clientId, scopes, subjects, accountEpoch }: TokenGrant) {
  return {
    sub,
    client_id: clientId,
    scope: [...new Set(scopes)].join(' '),
    subjects: [...new Set(subjects)],
    ...(accountEpoch !== undefined && { account_epoch: accountEpoch }),
  };
}

function faultOf(grant: TokenGrant): GrantFault | undefined {
  const { sub, clientId, scopes, subjects, ttlSeconds } = grant;
  if (!isIdentifier(sub)) return 'invalid_sub';
  if (!isIdentifier(clientId)) return 'invalid_client_id';
  if (!scopes.every(isScopeToken)) return 'invalid_scope';
  const grantsEvery = subjects.length === 1 && subjects[0] === EVERY_SUBJECT;
  if (!grantsEvery && !subjects.every(isSubjectId)) return 'invalid_subject';
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_TTL_SECONDS) return 'invalid_ttl';
  const size = Buffer.byteLength(JSON.stringify(grantClaims(grant)));
  return size > MAX_GRANT_BYTES ? 'too_large' : undefined;
}
