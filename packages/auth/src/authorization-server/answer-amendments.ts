import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { TokenRevoker } from '../resource-server/token-revoker.ts';
import { ERROR_PAGE_HEADERS, errorPage } from './error-page.ts';
import { revokeOwnToken } from './own-token-revocation.ts';
import { type Reach, Unavailable } from './unavailable.ts';

const RETRY_SECONDS = 30;

export interface AnswerAmendments {
  readonly metadata: object;
  readonly revoker: TokenRevoker;
  readonly reach: Reach;
  limitRefused?(req: IncomingMessage): Promise<number | null>;
}

/** What is said of credentials at `/token` and `/revoke` (RFC 6749, section 5.2): where something can be guessed. */
const REFUSED_CREDENTIAL: ReadonlySet<unknown> = new Set(['invalid_client', 'invalid_grant']);

/** Any mode but `query` would send the answer in a page with a script, or where scripts can read it. */
export function refuseResponseModes(ctx: Pick<KoaContextWithOIDC, 'query'>): void {
  const { response_mode: mode } = ctx.query;
  if (mode !== undefined && mode !== 'query') ctx.query = { ...ctx.query, response_mode: 'unsupported' };
}

/**
 * A client whose document cannot be fetched just now is no unknown client: told that it is, it would throw its tokens
 * away.
 */
export function sayUnavailable(ctx: KoaContextWithOIDC, { cause }: Error): void {
  if (!(cause instanceof Unavailable)) return;
  ctx.status = cause.status;
  ctx.body = { error: cause.error, error_description: cause.error_description };
}

/** Answers in the place of the library, which could not finish: a page to a browser, JSON to a client. */
export function answerUnavailable(
  ctx: Pick<KoaContextWithOIDC, 'path' | 'status' | 'body' | 'set'>,
  service: string,
): void {
  ctx.status = 503;
  ctx.set('retry-after', `${RETRY_SECONDS}`);
  if (ctx.path.startsWith('/authorize')) {
    ctx.set({ ...ERROR_PAGE_HEADERS });
    ctx.body = errorPage({ service, code: 'temporarily_unavailable', description: undefined });
  } else {
    ctx.body = {
      error: 'temporarily_unavailable',
      error_description: 'nothing was done; try again in a minute',
    };
  }
}

/** Puts right the answers of the library that say or do something else than is meant here. */
export async function amendAnswer(
  ctx: KoaContextWithOIDC,
  { metadata, revoker, reach, limitRefused }: AnswerAmendments,
): Promise<void> {
  const { route } = ctx.oidc;
  const error = errorIn(ctx.body);
  if (route === 'discovery') {
    ctx.body = metadata;
  } else if (route === 'revocation' && error === 'unsupported_token_type') {
    await revokeOwnToken(ctx, revoker, reach);
    ctx.status = 200;
    ctx.body = '';
  } else if ((route === 'token' || route === 'revocation') && REFUSED_CREDENTIAL.has(error)) {
    const seconds = (await limitRefused?.(ctx.req)) ?? null;
    if (seconds !== null) sayTooMany(ctx, seconds);
  } else if (error === 'server_error') {
    ctx.body = { error, error_description: 'something went wrong on this server; try again in a minute' };
  }
  if (ctx.status === 503) ctx.set('retry-after', `${RETRY_SECONDS}`);
}

function sayTooMany(ctx: KoaContextWithOIDC, seconds: number): void {
  ctx.status = 429;
  ctx.set('retry-after', `${seconds}`);
  ctx.body = {
    error: 'slow_down',
    error_description: `too many codes, tokens or clients of this address were refused; wait ${seconds} s`,
  };
}

function errorIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
}
