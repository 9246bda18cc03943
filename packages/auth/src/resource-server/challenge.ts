import { isScopeToken } from '../access-token-format.ts';
import type { TokenFailure } from './verified-token.ts';

export interface ChallengeOptions {
  /** Where the metadata of the very route that was called is (RFC 9728, section 5.1). */
  readonly resourceMetadataUrl: string;
  /** The scopes that would let the request pass. */
  readonly scopes: Iterable<string>;
  readonly failure: TokenFailure | 'insufficient_scope';
}

/**
 * The value of `WWW-Authenticate` (RFC 6750, section 3) for a 401, or a 403 on `insufficient_scope`. A
 * request without a credential gets no `error`, which some clients take for a reason to give up.
 */
export function challenge({ resourceMetadataUrl, scopes, failure }: ChallengeOptions): string {
  const parameters: string[] = [];
  const error = wireError(failure);
  if (error !== undefined) {
    parameters.push(parameter('error', error.code), parameter('error_description', error.description));
  }
  const needed = [...scopes];
  if (!needed.every(isScopeToken)) throw new TypeError('not a scope token (RFC 6749, section 3.3)');
  if (needed.length > 0) parameters.push(parameter('scope', needed.join(' ')));
  parameters.push(parameter('resource_metadata', resourceMetadataUrl));
  return `Bearer ${parameters.join(', ')}`;
}

/** Why a token was refused stays inside: outside it would tell a forger how far a forgery came. */
function wireError(failure: ChallengeOptions['failure']) {
  if (failure === 'missing') return undefined;
  if (failure === 'insufficient_scope') {
    return { code: 'insufficient_scope', description: 'The access token lacks the scope this needs' };
  }
  return { code: 'invalid_token', description: 'The access token is not valid here' };
}

/** A parameter as a quoted-string (RFC 9110, section 5.6.4), which nothing inside can end early. */
function parameter(name: string, value: string): string {
  if (!/^[\x20-\x7e]*$/.test(value)) throw new TypeError(`${name} must be printable ASCII`);
  return `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
