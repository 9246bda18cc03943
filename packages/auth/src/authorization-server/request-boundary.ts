import type { IncomingMessage } from 'node:http';

/** Longer request targets are refused unread: what a client asks is kept until a person has answered. */
const MAX_TARGET_LENGTH = 8192;

const PATHS: ReadonlySet<string> = new Set([
  '/authorize',
  '/token',
  '/revoke',
  '/register',
  '/jwks',
  '/.well-known/oauth-authorization-server',
]);
const RESUMING = /^\/authorize\/[A-Za-z0-9_-]{1,64}$/;

export type RequestVerdict = 'ours' | 'too_long' | 'not_ours';

/** Whether the request is for the authorization server. Absolute targets (RFC 9112, section 3.2.2) are not. */
export function judgeRequest({ url = '' }: IncomingMessage): RequestVerdict {
  const [path = ''] = url.split('?', 1);
  if (!PATHS.has(path) && !RESUMING.test(path)) return 'not_ours';
  return url.length > MAX_TARGET_LENGTH ? 'too_long' : 'ours';
}

/**
 * Makes the request say the server's own public name, whatever name it came by: addresses that are sent out, and
 * whether cookies are secure, follow from it.
 */
export function forcePublicName({ headers }: IncomingMessage, issuer: URL): void {
  headers['x-forwarded-host'] = issuer.host;
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  headers.host = issuer.host;
}
