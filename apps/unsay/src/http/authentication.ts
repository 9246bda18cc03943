import type { IncomingMessage } from 'node:http';
import {
  challenge,
  protectedResourceMetadataUrl,
  type TokenFailure,
  type TokenVerification,
  type VerifiedToken,
} from '@unsay/auth/resource-server';
import type { Principal } from '@unsay/live-resources';
import type { HttpContext } from './context.ts';
import { headerValues } from './header-values.ts';

/** Verifies the request's token, and the proof that comes with one. It is looked for in the header and nowhere else. */
export function authenticate(context: HttpContext, req: IncomingMessage): Promise<TokenVerification> {
  const authorization = headerValues(req, 'authorization');
  const dpop = headerValues(req, 'dpop');
  if (dpop.length === 0) return context.verifier.verify(authorization);
  const { pathname } = new URL(req.url ?? '/', 'http://localhost');
  // A client on this machine may know the server by its loopback names. Not by what the Host says: a server at another
  // port would be one of those, and what was proved to it would count here.
  const { localPort } = req.socket;
  const addresses = [context.publicUrl, `http://localhost:${localPort}`, `http://127.0.0.1:${localPort}`].map(
    (origin) => `${origin}${pathname}`,
  );
  return context.verifier.verify(authorization, { proofs: dpop, method: req.method ?? '', addresses });
}

/** What is said of a token that was not accepted, or was not there. */
export function tokenProblem(failure: TokenFailure): {
  readonly code: 'unsigned' | 'bad_signature';
  readonly next: string;
} {
  return failure === 'missing'
    ? {
        code: 'unsigned',
        next: 'Send a bearer token in the Authorization header; `unsay token mint` makes one.',
      }
    : {
        code: 'bad_signature',
        next: 'The token is unknown, expired, revoked or for another server: get a new one.',
      };
}

/** The principal that a verified token speaks for. */
export function principalOf({ sub, clientId, scopes, subjects }: VerifiedToken): Principal {
  return { sub, clientId, scopes, subjects };
}

/** The challenge of a refusal. It names the metadata of the MCP endpoint, the resource of every token. */
export function challengeFor(
  { publicUrl }: HttpContext,
  failure: TokenFailure | 'insufficient_scope',
  scopes: readonly string[],
): string {
  return challenge({
    resourceMetadataUrl: protectedResourceMetadataUrl(`${publicUrl}/mcp`),
    scopes,
    failure,
  });
}
