import type { IncomingMessage } from 'node:http';
import type { Caller } from '../caller.ts';
import type { Refusal } from '../http-answers.ts';
import { ErrorCode } from '../methods/outcome.ts';
import type { Session, SessionStore } from './session-store.ts';

export type SessionLookup<P> = { readonly kind: 'found'; readonly session: Session<P> } | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
}

/** What a client is told that has to open a new session. */
export const sessionNotFound: Refusal = {
  status: 404,
  error: {
    code: ErrorCode.sessionNotFound,
    message: 'Session not found: send initialize without Mcp-Session-Id to open a new one',
  },
};

/** The caller's session that the request names. */
export async function sessionNamedBy<P>(
  req: IncomingMessage,
  store: SessionStore<P>,
  caller: Caller<P>,
): Promise<SessionLookup<P>> {
  const id = req.headers['mcp-session-id'];
  if (typeof id !== 'string') {
    return refused(
      400,
      ErrorCode.serverError,
      'Bad Request: the Mcp-Session-Id header is required; send the one that came with the answer to initialize',
    );
  }
  const session = await store.find(id, caller);
  return session === undefined ? { kind: 'refused', refusal: sessionNotFound } : { kind: 'found', session };
}

function refused(status: number, code: number, message: string): Refused {
  return { kind: 'refused', refusal: { status, error: { code, message } } };
}
