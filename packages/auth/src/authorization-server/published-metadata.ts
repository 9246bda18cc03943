import { ACCESS_TOKEN_ALGORITHM } from '../access-token-format.ts';

const CLIENT_AUTHENTICATION = ['none', 'client_secret_basic', 'client_secret_post'];

/** Authorization server metadata (RFC 8414; `protected_resources` of RFC 9728) of what there is, and no more. */
export function publishedMetadata({
  issuer,
  resource,
  scopes,
}: {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    registration_endpoint: `${issuer}/register`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    dpop_signing_alg_values_supported: [ACCESS_TOKEN_ALGORITHM],
    protected_resources: [resource],
  };
}
