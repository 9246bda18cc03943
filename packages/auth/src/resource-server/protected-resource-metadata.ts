import { ASYMMETRIC_ALGORITHMS } from '../access-token-format.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export interface ProtectedResource {
  /** The resource identifier: the audience of its tokens, character for character. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  /** What people call the resource. */
  readonly name: string;
}

export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly ['header'];
  readonly resource_name: string;
  readonly dpop_signing_alg_values_supported: readonly string[];
}

/** Protected resource metadata (RFC 9728, section 2). */
export function protectedResourceMetadata(described: ProtectedResource): ProtectedResourceMetadata {
  return {
    resource: described.resource,
    authorization_servers: described.authorizationServers,
    scopes_supported: described.scopes,
    bearer_methods_supported: ['header'],
    resource_name: described.name,
    dpop_signing_alg_values_supported: ASYMMETRIC_ALGORITHMS,
  };
}

/** Where a client looks for a resource's metadata: the well-known path goes before its own (RFC 9728, 3.1). */
export function protectedResourceMetadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`;
}
