import { appendAudit } from '../access/audit.ts';
import type { Tokens } from '../access/tokens.ts';
import { isSlug } from '../gates/slug.ts';
import { RepositoryError } from '../git/repository.ts';
import { readText } from '../http/read-text.ts';
import type { Actor, Parts } from '../posts/parts.ts';
import { checkRequest } from './check-request.ts';
import { type OperationOutcome, operate } from './operations.ts';
import { type ProblemCode, type ProblemExtra, problemBody } from './problems.ts';
import type { OperatorRequest } from './requests.ts';

/** Where the API is. */
export const OPERATOR_PATH = '/api/operator';

/** What the API stands on. */
export interface ApiParts extends Parts {
  readonly tokens: Tokens;
  /** Told of what must not happen; the answer says only that it did. */
  readonly onFault: (error: unknown) => void;
}

// Room for a post over the limit, so that the gate can say where it is too long, and for its escapes in JSON.
const BODY_LIMIT = 8 * 1024 * 1024;
const CHANGES: ReadonlySet<string> = new Set(['save', 'delete']);

/** Answers `POST /api/operator`: who asks, then whether the document knows the request, then the operation. */
export async function answerOperator(parts: ApiParts, request: Request): Promise<Response> {
  const header = request.headers.get('authorization');
  if (header === null) return refuse('missing-credential');
  const token = /^bearer +([\w.~+/=-]+)$/i.exec(header)?.[1];
  const actor = token === undefined ? null : await parts.tokens.verify(token, 'operator');
  if (actor === null) return refuse('refused-credential');
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(request.headers.get('content-type') ?? ''))
    return refuse('unsupported-media-type');
  if (request.headers.has('content-encoding')) return refuse('unsupported-media-type');
  const text = await readText(request, BODY_LIMIT);
  if (text.kind === 'too-large') return refuse('request-too-large');
  if (text.kind === 'cut-off') return refuse('malformed-request', { detail: 'The body ended early.' });
  if (text.kind === 'not-utf-8') return refuse('malformed-request', { detail: 'The body is not UTF-8.' });
  const parsed = parse(text.text);
  if (parsed.kind === 'not-json') return refuse('malformed-request', { detail: 'The body is not JSON.' });
  const checked = checkRequest(parsed.body);
  if (checked.kind === 'invalid') return refuse('malformed-request', { detail: checked.detail });
  const outcome = await operateAndKeep(parts, actor, checked.request);
  if (outcome.kind === 'problem') return refuse(outcome.code, outcome.extra);
  return json(200, outcome.answer);
}

async function operateAndKeep(
  parts: ApiParts,
  actor: Actor,
  request: OperatorRequest,
): Promise<OperationOutcome> {
  const outcome = await operate(parts, actor, request).catch((error: unknown): OperationOutcome => {
    parts.onFault(error);
    const code = error instanceof RepositoryError ? 'repository-unavailable' : 'internal';
    return { kind: 'problem', code, extra: {} };
  });
  if (CHANGES.has(request.operation)) {
    const slug = 'slug' in request && isSlug(request.slug) ? request.slug : null;
    await appendAudit(parts.database, {
      at: new Date(parts.now()).toISOString(),
      ...actor,
      operation: request.operation,
      slug,
      outcome: outcome.kind === 'answer' ? 'done' : outcome.code,
      commit: outcome.kind === 'answer' ? (outcome.commit ?? null) : null,
    });
  }
  return outcome;
}

function parse(
  text: string,
): { readonly kind: 'json'; readonly body: unknown } | { readonly kind: 'not-json' } {
  try {
    return { kind: 'json', body: JSON.parse(text) };
  } catch {
    return { kind: 'not-json' };
  }
}

/** A refusal as a response. */
export function refuse(code: ProblemCode, extra: ProblemExtra = {}): Response {
  const body = problemBody(code, extra);
  const challenge =
    code === 'missing-credential'
      ? { 'www-authenticate': 'Bearer' }
      : code === 'refused-credential'
        ? { 'www-authenticate': 'Bearer error="invalid_token"' }
        : {};
  return json(body.status, body, { 'content-type': 'application/problem+json', ...challenge });
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
