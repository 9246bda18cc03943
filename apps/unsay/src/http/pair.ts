import type { IncomingMessage, ServerResponse } from 'node:http';
import { asTyped } from '../settings/as-typed.ts';
import { readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { isAllowedOrigin } from './origin.ts';
import { sendJson, sendProblem } from './problem.ts';
import { refusedCredential } from './rate-limit.ts';
import { parseStrictObject } from './strict-json.ts';

const LONGEST_BODY = 1024;

/** `POST /pair {"code"}`: changes a one-time code for a token. */
export async function handlePair(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (!isAllowedOrigin(context, req)) return sendProblem(res, 'origin_refused');
  const body = await readBody(req, LONGEST_BODY);
  const code = body.kind === 'bytes' ? parseStrictObject(body.bytes)?.code : undefined;
  if (typeof code !== 'string') {
    if (!req.complete) res.setHeader('connection', 'close');
    return sendProblem(res, 'malformed', { detail: 'Send {"code": "…"}.' });
  }
  const outcome = await context.pairing.redeem(code);
  if (outcome.kind === 'refused') {
    const detail = `The pairing code is unknown, was used, or is older than 10 minutes. Run “${asTyped('pair')}” for a new one.`;
    const refused = await refusedCredential(context, req, { code: 'bad_signature', extra: { detail } });
    return sendProblem(res, refused.code, refused.extra);
  }
  // Whoever speaks to a person is known before it has anything to say.
  const [subject] = outcome.subjects;
  if (outcome.page === 'device' && subject !== undefined)
    await context.listeners.enrol(outcome.clientId, 'Device page', subject);
  sendJson(res, 200, {
    access_token: outcome.token,
    token_type: 'Bearer',
    expires_in: outcome.expiresIn,
    scope: outcome.scope,
  });
}
