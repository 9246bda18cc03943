import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Principal, readsAnything } from '@unsay/live-resources';
import type { Caller } from '@unsay/mcp';
import { SCOPES } from '../domain/care-partition.ts';
import { authenticate, challengeFor, principalOf, tokenProblem } from './authentication.ts';
import { readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { isAllowedOrigin } from './origin.ts';
import { sendProblem } from './problem.ts';
import { limited, refusedCredential } from './rate-limit.ts';

const READ_SCOPES = [SCOPES.readUser, SCOPES.readAssistant];

/** `/mcp`: who is asking is settled here; what they ask is the endpoint's. */
export async function handleMcp(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (!isAllowedOrigin(context, req)) return sendProblem(res, 'origin_refused');
  const verified = await authenticate(context, req);
  if (verified.kind === 'refused') {
    const headers = { 'www-authenticate': challengeFor(context, verified.failure, [SCOPES.readUser]) };
    const { code, next } = tokenProblem(verified.failure);
    const refused = await refusedCredential(context, req, { code, extra: { headers, next } });
    return sendProblem(res, refused.code, refused.extra);
  }
  const { token } = verified;
  const principal = principalOf(token);
  const tooMany = limited(await context.limits.request(principal));
  if (tooMany !== null) {
    res.setHeader('connection', 'close');
    return sendProblem(res, tooMany.code, tooMany.extra);
  }
  if (!readsAnything(context.live.partition, principal)) {
    const headers = { 'www-authenticate': challengeFor(context, 'insufficient_scope', READ_SCOPES) };
    return sendProblem(res, 'insufficient_scope', { headers });
  }
  const body = req.method === 'POST' ? await readBody(req, context.bodyLimit) : null;
  if (body?.kind === 'too_large') {
    res.setHeader('connection', 'close');
    return sendProblem(res, 'body_too_large');
  }
  if (body?.kind === 'aborted') return;
  const caller: Caller<Principal> = {
    principal,
    sub: token.sub,
    clientId: token.clientId,
    isLive: () => context.verifier.isLive(token),
  };
  await context.endpoint.handle(req, res, body?.bytes, caller);
}
