import { refuse, type TokenRefused } from './verified-token.ts';

const SCHEME = /^bearer(?: |$)/i;
const CREDENTIAL = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;

/**
 * The compact token of an `Authorization` header (RFC 6750, section 2.1). Another scheme counts as no
 * credential (section 3.1); more than one header or more than one token is malformed.
 */
export function readBearer(
  authorization: string | readonly string[] | undefined,
): { readonly kind: 'bearer'; readonly compact: string } | TokenRefused {
  const headers = typeof authorization === 'string' ? [authorization] : (authorization ?? []);
  const [header = ''] = headers;
  if (headers.length > 1) return refuse('malformed');
  if (!SCHEME.test(header)) return refuse('missing');
  const compact = CREDENTIAL.exec(header)?.[1];
  return compact === undefined ? refuse('malformed') : { kind: 'bearer', compact };
}
