/** Scopes of OpenID Connect that clients ask for by habit. They give nothing here. */
const HABITS: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
]);

export type RequestedScopes =
  | { readonly kind: 'scopes'; readonly scopes: readonly string[] }
  /** Something was asked for and nothing of it exists (RFC 6749, section 4.1.2.1). */
  | { readonly kind: 'invalid_scope' };

/** What a `scope` parameter asks for here. Who asks for nothing in particular asks for the default. */
export function readRequestedScopes(
  parameter: string | undefined,
  supported: readonly string[],
  whenNoneAsked: readonly string[],
): RequestedScopes {
  const asked = (parameter ?? '').split(' ').filter((scope) => scope !== '' && !HABITS.has(scope));
  if (asked.length === 0) return { kind: 'scopes', scopes: whenNoneAsked };
  const scopes = supported.filter((scope) => asked.includes(scope));
  return scopes.length === 0 ? { kind: 'invalid_scope' } : { kind: 'scopes', scopes };
}
