export interface AuthorizationServerMetadata {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly scopes_supported: readonly string[];
  readonly response_types_supported: readonly string[];
  readonly grant_types_supported: readonly string[];
}

/**
 * Authorization server metadata (RFC 8414, section 2). It names no endpoint and no grant: a client that
 * reads it must learn that tokens are not to be had over HTTP here, not run into a 404.
 */
export function authorizationServerMetadata({
  issuer,
  scopes,
}: {
  readonly issuer: string;
  readonly scopes: readonly string[];
}): AuthorizationServerMetadata {
  return {
    issuer,
    jwks_uri: `${issuer.replace(/\/$/, '')}/jwks`,
    scopes_supported: scopes,
    response_types_supported: [],
    grant_types_supported: [],
  };
}
