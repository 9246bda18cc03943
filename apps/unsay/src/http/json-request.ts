import type { IncomingMessage } from 'node:http';
import { readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { isAllowedOrigin } from './origin.ts';
import type { ProblemCode, ProblemExtra } from './problem.ts';
import { repeatsHeader, single } from './writer-credential.ts';

/** The bytes of a request's body, or why they were not taken. */
export type JsonRequest =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly extra: ProblemExtra };

/**
 * Takes in a request that must be JSON from an allowed origin: nothing of it is believed yet. Its body, and
 * each of the headers `once`, may be there once and no more.
 */
export async function readJsonRequest(
  context: Pick<HttpContext, 'bodyLimit' | 'allowedOrigins'>,
  req: IncomingMessage,
  once: readonly string[],
): Promise<JsonRequest> {
  const refused = (code: ProblemCode, detail?: string): JsonRequest => {
    return { kind: 'refused', code, extra: detail === undefined ? {} : { detail } };
  };
  if (!isAllowedOrigin(context, req)) return refused('origin_refused');
  if (repeatsHeader(req, [...once, 'content-type', 'content-encoding']))
    return refused('malformed', 'A header that counts was sent twice.');
  if (!isPlainJson(req)) return refused('unsupported_media_type');
  const body = await readBody(req, context.bodyLimit);
  if (body.kind === 'too_large') return refused('body_too_large');
  if (body.kind === 'aborted') return refused('malformed', 'The body ended early.');
  return body;
}

function isPlainJson(req: IncomingMessage): boolean {
  const encoding = single(req, 'content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') return false;
  return /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i.test(single(req, 'content-type') ?? '');
}
