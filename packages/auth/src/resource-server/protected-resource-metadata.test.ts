import { expect, it } from 'vitest';
import { protectedResourceMetadata, protectedResourceMetadataUrl } from './protected-resource-metadata.ts';

it('describes the resource and takes tokens in the header only', () => {
  expect(
    protectedResourceMetadata({
      resource: 'https://resource.example/mcp',
      authorizationServers: ['https://issuer.example'],
      scopes: ['a', 'b'],
      name: 'Notes',
    }),
  ).toEqual({
    resource: 'https://resource.example/mcp',
    authorization_servers: ['https://issuer.example'],
    scopes_supported: ['a', 'b'],
    bearer_methods_supported: ['header'],
    resource_name: 'Notes',
    dpop_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'RS256', 'PS256'],
  });
});

it.each([
  ['https://resource.example', 'https://resource.example/.well-known/oauth-protected-resource'],
  ['https://resource.example/', 'https://resource.example/.well-known/oauth-protected-resource'],
  ['http://localhost:8787/mcp', 'http://localhost:8787/.well-known/oauth-protected-resource/mcp'],
  [
    'https://resource.example/a/b?k=v',
    'https://resource.example/.well-known/oauth-protected-resource/a/b?k=v',
  ],
])('%s is described at %s', (resource, url) => {
  expect(protectedResourceMetadataUrl(resource)).toBe(url);
});
