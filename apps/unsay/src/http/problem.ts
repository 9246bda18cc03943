import type { ServerResponse } from 'node:http';

/** Every refusal of the HTTP routes: status, what happened, and what to do next (RFC 9457). */
export const PROBLEMS = {
  malformed: [
    400,
    'The request is malformed.',
    'Send one JSON object of the documented form, with each key once.',
  ],
  unsigned: [
    401,
    'The request carries no credential.',
    'Sign the body with x-unsay-timestamp and x-unsay-signature, or send a bearer token.',
  ],
  bad_signature: [
    401,
    'The credential was not accepted.',
    'Check the secret or get a new token; sign the exact bytes that are sent.',
  ],
  stale_timestamp: [
    401,
    'The timestamp is too far from the server’s clock.',
    'Sign again with the current time; at most 300 seconds of difference are accepted.',
  ],
  replayed: [401, 'This signature was used before.', 'Sign again with a new timestamp.'],
  insufficient_scope: [
    403,
    'The token lacks the scope for this.',
    'Get a token with the scopes that the WWW-Authenticate header names.',
  ],
  origin_refused: [
    403,
    'The Origin or Host of the request is not allowed.',
    'Call from an allowed origin, or add it to UNSAY_ALLOWED_ORIGINS.',
  ],
  not_found: [
    404,
    'There is no such resource.',
    'Check the address, and that your token was granted this subject.',
  ],
  method_not_allowed: [405, 'The method is not allowed here.', 'Use a method that the Allow header names.'],
  store_rejected: [
    409,
    'The fact exists for another audience, and a fact’s audience never changes.',
    'Publish under the scheme that the fact was created with, or choose another topic.',
  ],
  head_moved: [
    409,
    'The fact is no longer at the version that if-match names.',
    'Read the fact again, decide anew, and send the new version hash.',
  ],
  idempotency_mismatch: [
    409,
    'Another request was sent under this idempotency-key.',
    'Send the very same body and if-match again, or choose a new key.',
  ],
  body_too_large: [
    413,
    'The body is larger than the limit.',
    'Send less; the limit is UNSAY_BODY_LIMIT, and UNSAY_BLOB_LIMIT for the bytes of a blob.',
  ],
  unsupported_media_type: [
    415,
    'The media type is not supported.',
    'Send content-type: application/json, in UTF-8 and not compressed.',
  ],
  rate_limited: [
    429,
    'There were too many of these in too short a time.',
    'Wait for as many seconds as the Retry-After header says, then send it again.',
  ],
  internal: [
    500,
    'The server failed; nothing was written.',
    'Try again, and tell the operator if it happens again.',
  ],
  not_ready: [503, 'The server is not ready.', 'Try again in a moment.'],
} as const satisfies Record<string, readonly [number, string, string]>;

/** The closed list of problem codes. */
export type ProblemCode = keyof typeof PROBLEMS;

/** What a refusal adds to its code. */
export interface ProblemExtra {
  /** What exactly is wrong; never the sender's own bytes. */
  readonly detail?: string;
  /** What to do next, where that depends on more than the code. */
  readonly next?: string;
  /** Members of the body that the contract names, like `head`. */
  readonly members?: Readonly<Record<string, string | null>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with a problem. */
export function sendProblem(res: ServerResponse, code: ProblemCode, extra: ProblemExtra = {}): void {
  const body = problemBody(code, extra);
  sendJson(res, body.status, body, { 'content-type': 'application/problem+json', ...extra.headers });
}

/** What the body of a problem says. */
export function problemBody(
  code: ProblemCode,
  { detail, next: instead, members }: ProblemExtra,
): { readonly status: number } & Readonly<Record<string, unknown>> {
  const [status, title, next] = PROBLEMS[code];
  const said = detail === undefined ? {} : { detail };
  return { type: 'about:blank', title, status, code, ...said, ...members, next: instead ?? next };
}

/** Answers with JSON. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': bytes.length,
    ...headers,
  });
  res.end(bytes);
}
