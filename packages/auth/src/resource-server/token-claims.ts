import { EVERY_SUBJECT, isIdentifier, isScopeToken, isSubjectId } from '../access-token-format.ts';
import { refuse, type TokenRefused, type VerifiedToken } from './verified-token.ts';

export type TokenClaims = Omit<VerifiedToken, 'tokenHash' | 'revocationKeys'>;

// The last second of the year 9999: above it a time is a mistake and breaks date arithmetic downstream.
const LATEST_TIME = 253_402_300_799;

/**
 * Reads the claims of a JWT access token (RFC 9068, section 2.2) that is meant for `audience`. It says
 * nothing of time: whether the token holds now depends on the clock at each use.
 */
export function readTokenClaims(
  payload: Uint8Array,
  expected: { readonly issuer: string; readonly audience: string },
): { readonly kind: 'read'; readonly claims: TokenClaims } | TokenRefused {
  const record = parseObject(payload);
  return record === undefined ? refuse('malformed') : claimsOf(record, expected);
}

/** {@link readTokenClaims} of claims that were parsed. */
export function claimsOf(
  record: Readonly<Record<string, unknown>>,
  expected: { readonly issuer: string; readonly audience: string },
): { readonly kind: 'read'; readonly claims: TokenClaims } | TokenRefused {
  if (typeof record.iss !== 'string') return refuse('malformed');
  if (record.iss !== expected.issuer) return refuse('wrong_issuer');
  const audiences = typeof record.aud === 'string' ? [record.aud] : readTextArray(record.aud);
  if (audiences === undefined) return refuse('malformed');
  if (!audiences.includes(expected.audience)) return refuse('wrong_audience');

  const { jti, sub, client_id: clientId, exp, iat } = record;
  const nbf = record.nbf === undefined ? iat : record.nbf;
  const { grant_id: grantId, account_epoch: accountEpoch } = record;
  const confirmation = readConfirmation(record.cnf);
  const scopes = readScopes(record.scope);
  const subjects = readSubjects(record.subjects);
  if (
    !isIdentifier(jti) ||
    !isIdentifier(sub) ||
    !isIdentifier(clientId) ||
    !(grantId === undefined || isIdentifier(grantId)) ||
    !(accountEpoch === undefined || isEpoch(accountEpoch)) ||
    confirmation === null ||
    !isTime(exp) ||
    !isTime(iat) ||
    !isTime(nbf) ||
    scopes === undefined ||
    subjects === undefined
  ) {
    return refuse('malformed');
  }
  const notBefore = Math.max(iat, nbf);
  const whose = { jti, sub, clientId, grantId, accountEpoch, confirmation };
  return { kind: 'read', claims: { ...whose, scopes, subjects, issuedAt: iat, notBefore, expiresAt: exp } };
}

/** The JSON object in bytes of UTF-8; undefined for anything else. */
export function parseObject(payload: Uint8Array): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(payload);
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readTextArray(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LATEST_TIME;
}

/** The thumbprint of the key that a token is bound to (RFC 9449, section 6.1); null for a claim that says something else. */
function readConfirmation(cnf: unknown): string | undefined | null {
  if (cnf === undefined) return undefined;
  const jkt = isRecord(cnf) && Object.keys(cnf).length === 1 ? cnf.jkt : undefined;
  return typeof jkt === 'string' && /^[A-Za-z0-9_-]{43}$/.test(jkt) ? jkt : null;
}

function isEpoch(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function readScopes(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || value === '') return new Set();
  if (typeof value !== 'string') return undefined;
  const scopes = value.split(' ');
  return scopes.every(isScopeToken) ? new Set(scopes) : undefined;
}

function readSubjects(value: unknown): VerifiedToken['subjects'] | undefined {
  if (value === undefined) return new Set();
  const subjects = readTextArray(value);
  if (subjects?.length === 1 && subjects[0] === EVERY_SUBJECT) return EVERY_SUBJECT;
  return subjects?.every(isSubjectId) ? new Set(subjects) : undefined;
}
