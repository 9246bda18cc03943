import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_PAGE_HEADERS, errorPage } from './error-page.ts';
import type { Interaction } from './interaction.ts';
import { type BuiltProvider, buildProvider } from './provider-building.ts';
import type { AuthorizationServerOptions } from './provider-options.ts';
import { forcePublicName, judgeRequest } from './request-boundary.ts';
import type { Consent } from './rights.ts';

/**
 * The authorization server. Whatever method rejects, rejects because something inside failed, most likely a store, and
 * then nothing was granted; an error answer to a client is no rejection.
 */
export interface AuthorizationServer {
  /**
   * Answers `/authorize`, `/authorize/:uid`, `/token`, `/revoke`, `/register`, `/jwks` and
   * `/.well-known/oauth-authorization-server` (RFC 8414); 404 for anything else. The body must not have been read.
   */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** What the person in front of this browser is asked; undefined when it carries no interaction of that uid. */
  interaction(req: IncomingMessage, res: ServerResponse): Promise<Interaction | undefined>;
  /** The person of the account is there. Gives the address to go on to, as the next two do. */
  signIn(req: IncomingMessage, res: ServerResponse, accountId: string): Promise<string>;
  /** What is more than was asked, or more than the account has, is left out; nothing left means refused. */
  allow(req: IncomingMessage, res: ServerResponse, granted: Consent): Promise<string>;
  refuse(req: IncomingMessage, res: ServerResponse): Promise<string>;
  /** Ends a grant with all its tokens, as when a person takes it back. */
  endGrant(grantId: string): Promise<void>;
}

/** Loads the library behind it with the first request, which therefore takes longer. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const issuer = new URL(options.issuer);
  let building: Promise<BuiltProvider> | undefined;

  function built(): Promise<BuiltProvider> {
    building ??= buildProvider(options);
    return building;
  }

  async function interactionsFor(req: IncomingMessage) {
    forcePublicName(req, issuer);
    return (await built()).interactions;
  }

  return {
    async handle(req, res) {
      const verdict = judgeRequest(req);
      if (verdict === 'not_ours') {
        res.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n');
        return;
      }
      if (verdict === 'too_long') {
        const description = 'the address of the request is too long';
        const page = errorPage({ service: options.resourceName, code: 'invalid_request', description });
        res.writeHead(414, ERROR_PAGE_HEADERS).end(page);
        return;
      }
      forcePublicName(req, issuer);
      await (await built()).answer(req, res);
    },
    interaction: async (req, res) => (await interactionsFor(req)).find(req, res),
    signIn: async (req, res, accountId) => (await interactionsFor(req)).signIn(req, res, accountId),
    allow: async (req, res, granted) => (await interactionsFor(req)).allow(req, res, granted),
    refuse: async (req, res) => (await interactionsFor(req)).refuse(req, res),
    endGrant: async (grantId) => (await built()).endGrant(grantId),
  };
}
