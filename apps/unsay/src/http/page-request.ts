import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpContext } from './context.ts';
import { readJsonRequest } from './json-request.ts';
import { sendProblem } from './problem.ts';
import { parseStrictObject } from './strict-json.ts';

/**
 * The JSON object that one of the server's own pages sent, or null when the request was answered. A page of another
 * origin is refused even where it may call: what a cookie allows is for these pages alone.
 */
export async function readPageRequest(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Record<string, unknown> | null> {
  if (!isOwnPage(context, req)) {
    sendProblem(res, 'origin_refused', { next: 'Open the page at its own address.' });
    return null;
  }
  const request = await readJsonRequest(context, req, ['cookie']);
  const body = request.kind === 'bytes' ? parseStrictObject(request.bytes) : null;
  if (body !== null) return body;
  // What was not read of the body must not be taken for the next request.
  if (!req.complete) res.setHeader('connection', 'close');
  if (request.kind === 'refused') sendProblem(res, request.code, request.extra);
  else sendProblem(res, 'malformed');
  return null;
}

/** Every browser names the origin of a POST. */
function isOwnPage({ publicUrl }: HttpContext, req: IncomingMessage): boolean {
  return req.headers.origin === new URL(publicUrl).origin;
}
