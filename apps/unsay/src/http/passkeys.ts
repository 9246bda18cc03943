import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from '@unsay/auth/authorization-server';
import type { VerifiedToken } from '@unsay/auth/resource-server';
import { CONSOLE_CLIENT, OWNER_NAME } from '../sign-in/own-clients.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { authenticate, challengeFor, tokenProblem } from './authentication.ts';
import type { HttpContext, Route } from './context.ts';
import { readPageRequest } from './page-request.ts';
import { sendJson, sendProblem } from './problem.ts';
import { limited, refusedCredential } from './rate-limit.ts';

/** `POST /passkeys/options`: what a browser needs to make a passkey for the person of the console page. */
export const beginPasskey: Route = async (context, req, res) => {
  const asked = await personOf(context, req, res);
  if (asked === null) return;
  const { signIn, account } = asked;
  const begun = await signIn.passkeys.beginEnrolment(account.id);
  if (begun.kind === 'options') return sendJson(res, 200, begun.options);
  sendProblem(res, 'not_found');
};

/** `POST /passkeys {"response", "label"}`: keeps a passkey that was made. */
export const addPasskey: Route = async (context, req, res) => {
  const asked = await personOf(context, req, res);
  if (asked === null) return;
  const { signIn, account, body } = asked;
  const outcome = await signIn.passkeys.enrol(account.id, body.response, body.label);
  if (outcome.kind === 'enrolled') {
    const { id, label } = outcome.passkey;
    return sendJson(res, 201, { id, label });
  }
  sendProblem(res, 'malformed', {
    detail: 'The passkey was not added: it is there already, has no name, or was made too long ago.',
    next: 'Begin again, and give it a short name.',
  });
};

interface Person {
  readonly signIn: SignIn;
  readonly account: Account;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The person whose console page asks, or null when the request was answered. */
async function personOf(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Person | null> {
  const { signIn } = context;
  if (signIn === null) {
    sendProblem(res, 'not_found');
    return null;
  }
  const body = await readPageRequest(context, req, res);
  if (body === null) return null;
  const verified = await authenticate(context, req);
  if (verified.kind === 'refused') {
    const { code, next } = tokenProblem(verified.failure);
    const headers = { 'www-authenticate': challengeFor(context, verified.failure, []) };
    const refused = await refusedCredential(context, req, { code, extra: { next, headers } });
    sendProblem(res, refused.code, refused.extra);
    return null;
  }
  const tooMany = limited(await context.limits.request(verified.token));
  if (tooMany !== null) {
    sendProblem(res, tooMany.code, tooMany.extra);
    return null;
  }
  // A passkey is worth more than the token that it is made with, so no application that somebody let in can make one.
  const account =
    verified.token.clientId === CONSOLE_CLIENT ? await accountOf(signIn, verified.token) : undefined;
  if (account !== undefined) return { signIn, account, body };
  sendProblem(res, 'not_found', { next: 'Passkeys are added on the console page.' });
  return null;
}

/** The owner's account is made with the first passkey; every other one is there when its person has a token. */
async function accountOf({ accounts }: SignIn, token: VerifiedToken): Promise<Account | undefined> {
  const account = await accounts.find(token.sub);
  if (account !== undefined) return mayDoAnything(account) ? account : undefined;
  if (token.accountEpoch !== undefined) return undefined;
  const rights = { scopes: [...token.scopes], subjects: [...token.subjects] };
  const made = await accounts.grant(token.sub, { ...rights, name: OWNER_NAME });
  return made.kind === 'changed' ? made.account : undefined;
}

/** Whoever had everything taken away gets no new way in for the day when something is given back. */
function mayDoAnything({ scopes, subjects }: Account): boolean {
  return scopes.size > 0 && (subjects === '*' || subjects.size > 0);
}
