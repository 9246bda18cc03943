import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Interaction } from '@unsay/auth/authorization-server';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { HttpContext, Route } from './context.ts';
import { readPageRequest } from './page-request.ts';
import { SIGN_IN_PAGE, sendPage } from './pages.ts';
import { sendJson, sendProblem } from './problem.ts';
import { refusedCredential } from './rate-limit.ts';

/** The paths of one sign-in: its page, and what the page asks. */
const INTERACTION_PATH = /^\/interaction\/([A-Za-z0-9_-]{1,64})(?:\/([a-z-]{1,32}))?$/;

const TOO_LATE = {
  detail: 'This sign-in is over, or was begun in another browser.',
  next: 'Go back to the application and begin again.',
};

interface Asked {
  readonly context: HttpContext;
  readonly signIn: SignIn;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly interaction: Interaction;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the page may send. A step gives the address to go on to, or has answered. */
const STEPS: Readonly<Record<string, (asked: Asked) => Promise<string | undefined>>> = {
  'passkey-options': async ({ signIn, res, interaction }) => {
    sendJson(res, 200, await signIn.passkeys.beginSignIn(interaction.uid));
    return undefined;
  },
  passkey: signInWithPasskey,
  upstream: goUpstream,
  allow,
  refuse: ({ signIn, req, res }) => signIn.server.refuse(req, res),
};

/** Whether the path belongs to a sign-in. */
export function isInteraction(path: string): boolean {
  return INTERACTION_PATH.test(path);
}

/** `GET /interaction/<uid>`: the page on which a person signs in and consents, and what it reads. */
export const showInteraction: Route = async (context, req, res, url) => {
  const { signIn, pages } = context;
  const [, , step] = INTERACTION_PATH.exec(url.pathname) ?? [];
  const page = pages.get(SIGN_IN_PAGE);
  if (signIn === null) return sendProblem(res, 'not_found');
  if (step === undefined) {
    return page === undefined ? sendProblem(res, 'not_found') : sendPage(res, page, req.method === 'HEAD');
  }
  const interaction = await signIn.server.interaction(req, res);
  if (interaction === undefined) return sendProblem(res, 'not_found', TOO_LATE);
  if (step === 'state') return sendJson(res, 200, stateOf(signIn, interaction));
  if (step === 'upstream') return redeem({ signIn, req, res, interaction, url });
  sendProblem(res, 'not_found');
};

/** `POST /interaction/<uid>/<step>`: what a person does on the page. */
export const stepInteraction: Route = async (context, req, res, url) => {
  const { signIn } = context;
  const [, , step = ''] = INTERACTION_PATH.exec(url.pathname) ?? [];
  const take = Object.hasOwn(STEPS, step) ? STEPS[step] : undefined;
  if (signIn === null || take === undefined) return sendProblem(res, 'not_found');
  const body = await readPageRequest(context, req, res);
  if (body === null) return;
  const interaction = await signIn.server.interaction(req, res);
  if (interaction === undefined) return sendProblem(res, 'not_found', TOO_LATE);
  const next = await take({ context, signIn, req, res, interaction, body });
  if (next !== undefined) sendJson(res, 200, { continue: next });
};

/** `GET /sign-in/callback`: where the outside provider sends a browser back to. */
export const finishUpstream: Route = async (context, _req, res, url) => {
  const { signIn } = context;
  if (signIn === null || signIn.upstream === null) return sendProblem(res, 'not_found');
  const outcome = await signIn.upstream.finish(url.href);
  const uid = outcome.interactionUid;
  if (uid === undefined) return sendProblem(res, 'not_found', TOO_LATE);
  // No cookie of the interaction reaches this address. The browser that has it is told apart at the next.
  const page = `/interaction/${uid}`;
  if (outcome.kind === 'signed_in') return seeOther(res, `${page}/upstream?ticket=${outcome.ticket}`);
  const about = outcome.kind === 'not_enrolled' ? { id: outcome.accountId } : {};
  const problem = outcome.kind === 'not_enrolled' ? 'not_enrolled' : 'upstream_refused';
  seeOther(res, `${page}?${new URLSearchParams({ problem, ...about })}`);
};

function stateOf({ upstream }: SignIn, { wants, client, scopes, account }: Interaction) {
  const { name, host, redirectHost, isFirstParty } = client;
  const subjects = account === undefined ? [] : account.subjects;
  return {
    wants,
    client: { name, host, redirectHost, isFirstParty },
    scopes,
    subjects: subjects === '*' ? subjects : [...subjects],
    person: account?.name ?? null,
    ways: { passkey: true, upstream: upstream?.host ?? null },
  };
}

async function signInWithPasskey({ context, signIn, req, res, interaction, body }: Asked) {
  const outcome = await signIn.passkeys.signIn(interaction.uid, body.response);
  if (outcome.kind === 'signed_in') return signIn.server.signIn(req, res, outcome.accountId);
  if (outcome.reason === 'possible_clone') context.onFault(new Error('a passkey counter went backwards'));
  const extra = {
    detail: 'This passkey does not open anything here.',
    next: 'Try another one, or add this one on the console page first.',
  };
  const refused = await refusedCredential(context, req, { code: 'bad_signature', extra });
  sendProblem(res, refused.code, refused.extra);
  return undefined;
}

async function goUpstream({ signIn, res, interaction }: Asked) {
  const begun = await signIn.upstream?.begin(interaction.uid);
  if (begun?.kind === 'begun') return begun.url;
  if (begun === undefined) sendProblem(res, 'not_found');
  else sendProblem(res, 'not_ready', { detail: 'The sign-in provider cannot be reached.' });
  return undefined;
}

async function allow({ signIn, req, res, interaction, body }: Asked) {
  const { subjects, scopes } = body;
  if ((subjects !== '*' && !isTextList(subjects)) || !isTextList(scopes)) {
    const detail =
      'Send {"scopes": ["…"], "subjects": ["…"]}, at least one of each: what the person was shown.';
    sendProblem(res, 'malformed', { detail });
    return undefined;
  }
  if (interaction.wants !== 'consent') {
    sendProblem(res, 'not_found', TOO_LATE);
    return undefined;
  }
  // What the person was shown, and no more: the account may have been given a scope since.
  return signIn.server.allow(req, res, { scopes, subjects });
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

async function redeem(asked: Omit<Asked, 'body' | 'context'> & { readonly url: URL }): Promise<void> {
  const { signIn, req, res, interaction, url } = asked;
  const accountId = signIn.upstream?.redeem(url.searchParams.get('ticket'), interaction.uid);
  if (accountId === undefined || interaction.wants !== 'sign_in')
    return sendProblem(res, 'not_found', TOO_LATE);
  seeOther(res, await signIn.server.signIn(req, res, accountId));
}

function seeOther(res: ServerResponse, location: string): void {
  res.writeHead(303, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  res.end();
}
