import type { KoaContextWithOIDC } from 'oidc-provider';
import type { TokenRevoker } from '../resource-server/token-revoker.ts';
import type { Reach } from './unavailable.ts';

/**
 * Ends one of our JWT access tokens for the client that it belongs to (RFC 7009). The library authenticates the client
 * and then refuses every JWT, because it keeps none; this is what happens instead of that refusal.
 */
export async function revokeOwnToken(
  { oidc }: KoaContextWithOIDC,
  revoker: TokenRevoker,
  reach: Reach,
): Promise<void> {
  const token = oidc.params?.token;
  if (typeof token !== 'string' || clientIdIn(token) !== oidc.client?.clientId) return;
  await reach(() => revoker.revoke(token));
}

/** Unverified: the signature is checked before anything is ended. */
function clientIdIn(token: string): unknown {
  try {
    const { client_id: clientId } = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    );
    return clientId;
  } catch {
    return undefined;
  }
}
