import type { Route } from './context.ts';
import { isAllowedOrigin } from './origin.ts';
import { sendProblem } from './problem.ts';

/** Where a sign-in goes on after the person was asked. */
const RESUMED = /^\/authorize\/[A-Za-z0-9_-]{1,64}$/;

/** What the authorization server answers (RFC 6749, 7009, 7591, 8414), the same for all of its routes. */
const answer: Route = async ({ signIn }, req, res) => {
  if (signIn === null) return sendProblem(res, 'not_found');
  await signIn.server.handle(req, res);
};

/** A page that asks for a token must be one that may call; a browser is sent to `/authorize` from anywhere. */
const answerPages: Route = async (context, req, res, url) => {
  if (!isAllowedOrigin(context, req)) return sendProblem(res, 'origin_refused');
  await answer(context, req, res, url);
};

export const AUTHORIZATION_ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  '/authorize': { GET: answer },
  '/token': { POST: answerPages },
  '/revoke': { POST: answerPages },
  '/register': { POST: answerPages },
  '/.well-known/oauth-authorization-server': { GET: answer, HEAD: answer },
};

/** Whether the path is one of a sign-in that goes on. */
export function isAuthorization(path: string): boolean {
  return RESUMED.test(path);
}
