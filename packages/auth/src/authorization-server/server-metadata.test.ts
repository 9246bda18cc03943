import { expect, it } from 'vitest';
import { authorizationServerMetadata } from './server-metadata.ts';

it('names no endpoint that is not there', () => {
  expect(authorizationServerMetadata({ issuer: 'https://issuer.example', scopes: ['a'] })).toEqual({
    issuer: 'https://issuer.example',
    jwks_uri: 'https://issuer.example/jwks',
    scopes_supported: ['a'],
    response_types_supported: [],
    grant_types_supported: [],
  });
});

it('keeps the issuer to the character', () => {
  const metadata = authorizationServerMetadata({ issuer: 'http://localhost:8787/', scopes: [] });
  expect(metadata).toMatchObject({
    issuer: 'http://localhost:8787/',
    jwks_uri: 'http://localhost:8787/jwks',
  });
});
