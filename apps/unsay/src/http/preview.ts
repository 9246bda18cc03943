import type { IncomingMessage, ServerResponse } from 'node:http';
import { renderRetraction, renderSpoken } from '@unsay/live-resources';
import { GLOSSARY } from '../domain/glossary.ts';
import { authenticate, challengeFor, principalOf, tokenProblem } from './authentication.ts';
import type { HttpContext } from './context.ts';
import { problemOf, readDraftRequest, SCOPES_OF_A_WRITER } from './draft-request.ts';
import { readJsonRequest } from './json-request.ts';
import { type ProblemCode, type ProblemExtra, sendJson, sendProblem } from './problem.ts';
import { limited, refusedCredential } from './rate-limit.ts';

type Preview =
  | { readonly kind: 'previewed'; readonly spoken: string; readonly retraction: string | null }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly extra: ProblemExtra };

/**
 * `POST /preview`: the sentences that a listener would hear if this body were published now. It takes what
 * `POST /write` takes, with a bearer token, and refuses what that refuses; it writes nothing, uses nothing up
 * and leaves no row in the audit.
 */
export async function handlePreview(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const preview = await previewOf(context, req);
  if (preview.kind === 'previewed') {
    const { spoken, retraction } = preview;
    return sendJson(res, 200, { spoken, retraction });
  }
  // What was not read of the body must not be taken for the next request.
  if (!req.complete) res.setHeader('connection', 'close');
  sendProblem(res, preview.code, preview.extra);
}

async function previewOf(context: HttpContext, req: IncomingMessage): Promise<Preview> {
  const body = await readJsonRequest(context, req, ['authorization', 'if-match']);
  if (body.kind === 'refused') return body;
  const verified = await authenticate(context, req);
  if (verified.kind === 'refused') {
    const { failure } = verified;
    const headers = { 'www-authenticate': challengeFor(context, failure, SCOPES_OF_A_WRITER) };
    const { code, next } = tokenProblem(failure);
    return {
      kind: 'refused',
      ...(await refusedCredential(context, req, { code, extra: { headers, next } })),
    };
  }
  const principal = principalOf(verified.token);
  const tooMany = limited(await context.limits.request(principal));
  if (tooMany !== null) return { kind: 'refused', ...tooMany };
  const asked = readDraftRequest(context, req, body.bytes, principal);
  if (asked.kind === 'refused') return asked;
  const { live } = context;
  const outcome = await live.preview(principal, asked.draft, asked.ifMatch);
  if (outcome.kind !== 'previewed') return { kind: 'refused', ...problemOf(outcome) };
  const { version, superseded } = outcome;
  return {
    kind: 'previewed',
    spoken: renderSpoken(version, live.clock),
    retraction: superseded && renderRetraction(superseded, version, live.clock, GLOSSARY),
  };
}
