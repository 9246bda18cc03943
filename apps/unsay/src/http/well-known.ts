import { authorizationServerMetadata, jwks, type SigningKey } from '@unsay/auth/authorization-server';
import { protectedResourceMetadata } from '@unsay/auth/resource-server';
import { ALL_SCOPES } from '../domain/care-partition.ts';

/** Documents that anyone may fetch: whose tokens count here, and how to check them. */
export function wellKnownDocuments(publicUrl: string, key: SigningKey): Readonly<Record<string, unknown>> {
  const resource = protectedResourceMetadata({
    resource: `${publicUrl}/mcp`,
    authorizationServers: [publicUrl],
    scopes: ALL_SCOPES,
    name: 'Unsay',
  });
  return {
    '/.well-known/oauth-protected-resource': resource,
    '/.well-known/oauth-protected-resource/mcp': resource,
    '/.well-known/oauth-authorization-server': authorizationServerMetadata({
      issuer: publicUrl,
      scopes: ALL_SCOPES,
    }),
    '/jwks': jwks([key]),
  };
}
