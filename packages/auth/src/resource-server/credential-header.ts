import { refuse, type TokenRefused } from './verified-token.ts';

/** How a credential is presented: alone (RFC 6750), or with a proof that its holder has a key (RFC 9449). */
export type Scheme = 'bearer' | 'dpop';

export interface Credential {
  readonly kind: 'credential';
  readonly scheme: Scheme;
  readonly token: string;
}

const SCHEME = /^(bearer|dpop)(?: |$)/i;
// A `token68` (RFC 9110, section 11.2), of which a JWT is one.
const CREDENTIAL = /^(?:bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of an `Authorization` header. Another scheme counts as no credential (RFC 6750, section 3.1); more than
 * one header or more than one token is malformed.
 */
export function readCredential(
  authorization: string | readonly string[] | undefined,
): Credential | TokenRefused {
  const headers = typeof authorization === 'string' ? [authorization] : (authorization ?? []);
  const [header = ''] = headers;
  if (headers.length > 1) return refuse('malformed');
  const scheme = SCHEME.exec(header)?.[1]?.toLowerCase();
  if (scheme === undefined) return refuse('missing');
  const token = CREDENTIAL.exec(header)?.[1];
  if (token === undefined) return refuse('malformed');
  return { kind: 'credential', scheme: scheme === 'dpop' ? 'dpop' : 'bearer', token };
}
