/** The one signature algorithm this package makes and accepts (RFC 7518, section 3.4). */
export const ACCESS_TOKEN_ALGORITHM = 'ES256';

/**
 * What somebody else may sign with, an outside issuer or the holder of a key. Asymmetric ones only: a secret shared with
 * them could be the public key itself.
 */
export const ASYMMETRIC_ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'EdDSA',
  'Ed25519',
  'RS256',
  'PS256',
];

/** The `typ` header of a JWT access token (RFC 9068, section 2.1). */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** The longest compact token that is made or read, in characters. A longer one is refused unread. */
export const MAX_ACCESS_TOKEN_LENGTH = 8192;

/** As the only item of the `subjects` claim it means every subject. */
export const EVERY_SUBJECT = '*';

const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const SUBJECT_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
// Control characters and lone surrogates have no place in a name and do harm in logs.
const IDENTIFIER = /^[^\p{Cc}\p{Cs}]+$/u;

/** Whether the text is one `scope-token` of RFC 6749, section 3.3. */
export function isScopeToken(text: string): boolean {
  return SCOPE_TOKEN.test(text);
}

/** Whether the text can name one subject in the `subjects` claim. */
export function isSubjectId(text: string): boolean {
  return SUBJECT_ID.test(text);
}

/** Whether the value can stand as `sub`, `client_id` or `jti`: text, not empty, no control characters. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value);
}
