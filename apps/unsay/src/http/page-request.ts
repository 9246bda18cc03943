import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpContext } from './context.ts';
import { readJsonRequest } from './json-request.ts';
import { sendProblem } from './problem.ts';

/** A page sends a passkey's answer at the most. Strangers can send this much, so it must cost little to read. */
const MOST_BYTES = 65_536;

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
  const bodyLimit = Math.min(MOST_BYTES, context.bodyLimit);
  const request = await readJsonRequest({ ...context, bodyLimit }, req, ['cookie']);
  const body = request.kind === 'bytes' ? parseObject(request.bytes) : null;
  if (body !== null) return body;
  // What was not read of the body must not be taken for the next request.
  if (!req.complete) res.setHeader('connection', 'close');
  if (request.kind === 'refused') sendProblem(res, request.code, request.extra);
  else sendProblem(res, 'malformed');
  return null;
}

// Nobody signs these bodies, so two equal names in one mean nothing to anybody.
function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Every browser names the origin of a POST. */
function isOwnPage({ publicUrl }: HttpContext, req: IncomingMessage): boolean {
  return req.headers.origin === new URL(publicUrl).origin;
}
