import { jwks, type SigningKey } from '@unsay/auth/authorization-server';
import { protectedResourceMetadata } from '@unsay/auth/resource-server';
import { ALL_SCOPES } from '../domain/care-partition.ts';

export interface Published {
  readonly publicUrl: string;
  /** Who issues the tokens that count here. */
  readonly issuer: string;
  readonly keys: readonly SigningKey[];
}

/** Documents that anyone may fetch: whose tokens count here, and how to check them. */
export function wellKnownDocuments({
  publicUrl,
  issuer,
  keys,
}: Published): Readonly<Record<string, unknown>> {
  const resource = protectedResourceMetadata({
    resource: `${publicUrl}/mcp`,
    authorizationServers: [issuer],
    scopes: ALL_SCOPES,
    name: 'Unsay',
  });
  return {
    '/.well-known/oauth-protected-resource': resource,
    '/.well-known/oauth-protected-resource/mcp': resource,
    '/jwks': jwks(keys),
  };
}
