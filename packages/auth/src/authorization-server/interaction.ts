import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Account } from '../account.ts';
import { isDocumentAddress } from './client-metadata.ts';
import { type GrantMakingOptions, makeGrant } from './grant-making.ts';
import type { ProviderLibrary } from './provider-parts.ts';
import type { Consent } from './rights.ts';

/** What the person in front of a browser is asked. */
export interface Interaction {
  readonly uid: string;
  readonly wants: 'sign_in' | 'consent';
  readonly client: {
    readonly id: string;
    /** What the client calls itself; anybody can call themselves anything. */
    readonly name: string;
    /** What the person should check: the host of its metadata document, or where the answer is sent. */
    readonly host: string;
    /** Where the answer is sent; it differs from `host` where a metadata document names other places, or this machine. */
    readonly redirectHost: string;
    readonly isFirstParty: boolean;
  };
  /** Asked for and, when it is known who asks, held by the account. */
  readonly scopes: readonly string[];
  /** The person who signed in. */
  readonly account?: Account;
}

export interface Interactions {
  /** Undefined when the request carries no interaction of the uid in its path: too late, used, another browser. */
  find(req: IncomingMessage, res: ServerResponse): Promise<Interaction | undefined>;
  signIn(req: IncomingMessage, res: ServerResponse, accountId: string): Promise<string>;
  allow(req: IncomingMessage, res: ServerResponse, granted: Consent): Promise<string>;
  refuse(req: IncomingMessage, res: ServerResponse): Promise<string>;
}

export interface InteractionsOptions extends GrantMakingOptions {
  readonly provider: Provider;
  readonly library: ProviderLibrary;
  readonly firstPartyIds: ReadonlySet<string>;
  findAccount(id: string): Promise<Account | undefined>;
}

const REFUSED = { error: 'access_denied', error_description: 'the person refused' };
/** In the path of a page of the interaction. */
const UID = /\/interaction\/([A-Za-z0-9_-]{1,64})(?:[/?]|$)/;

export function createInteractions(options: InteractionsOptions): Interactions {
  const { provider, library, firstPartyIds, findAccount } = options;

  type Details = InstanceType<Provider['Interaction']>;

  async function detailsOf(req: IncomingMessage, res: ServerResponse): Promise<Details | undefined> {
    try {
      const details = await provider.interactionDetails(req, res);
      return UID.exec(req.url ?? '')?.[1] === details.uid ? details : undefined;
    } catch (error) {
      if (error instanceof library.errors.SessionNotFound) return undefined;
      throw error;
    }
  }

  async function findClient(clientId: string) {
    try {
      return await provider.Client.find(clientId);
    } catch (error) {
      // A metadata document that cannot be had any more, or that changed for the worse.
      if (error instanceof library.errors.OIDCProviderError) return undefined;
      throw error;
    }
  }

  async function read(details: Details): Promise<Interaction | undefined> {
    const { params, prompt, session, uid } = details;
    const clientId = `${params.client_id}`;
    const client = await findClient(clientId);
    if (client === undefined) return undefined;
    const redirectHost = hostOf(`${params.redirect_uri}`);
    const host = isDocumentAddress(clientId) ? new URL(clientId).host : redirectHost;
    const isFirstParty = firstPartyIds.has(clientId);
    const shown = { id: clientId, name: client.clientName ?? host, host, redirectHost, isFirstParty };
    const scopes = `${params.scope}`.split(' ');
    if (prompt.name !== 'consent' || session === undefined) {
      return { uid, wants: 'sign_in', client: shown, scopes };
    }
    const account = await findAccount(session.accountId);
    if (account === undefined) return undefined;
    const held = scopes.filter((scope) => account.scopes.has(scope));
    return { uid, wants: 'consent', client: shown, scopes: held, account };
  }

  async function answerable(
    wants: Interaction['wants'] | undefined,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<{ readonly details: Details; readonly asked: Interaction }> {
    const details = await detailsOf(req, res);
    const asked = details && (await read(details));
    if (details === undefined || asked === undefined || (wants ?? asked.wants) !== asked.wants) {
      throw new Error('the request carries no such interaction');
    }
    return { details, asked };
  }

  /** Whoever signed in here before is not who signs in now. */
  async function forgetSession(details: Details, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const session = await provider.Session.get(provider.createContext(req, res));
    if (session.accountId === undefined) return;
    await session.destroy();
    details.session = undefined;
    await details.save(details.exp - details.iat);
  }

  return {
    async find(req, res) {
      const details = await detailsOf(req, res);
      return details && (await read(details));
    },
    async signIn(req, res, accountId) {
      const { details } = await answerable('sign_in', req, res);
      await forgetSession(details, req, res);
      return provider.interactionResult(req, res, { login: { accountId, remember: false } });
    },
    async allow(req, res, granted) {
      const { asked } = await answerable('consent', req, res);
      const { account, client } = asked;
      const scopes = granted.scopes.filter((scope) => asked.scopes.includes(scope));
      const grant =
        account && (await makeGrant(provider, account, client.id, { ...granted, scopes }, options));
      const result = grant === undefined ? REFUSED : { consent: { grantId: grant.id } };
      return provider.interactionResult(req, res, result);
    },
    async refuse(req, res) {
      await answerable(undefined, req, res);
      return provider.interactionResult(req, res, REFUSED);
    },
  };
}

/** Of an application's own scheme there is no host that anybody vouches for, so the scheme is shown with it. */
function hostOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : `${url.protocol}//${url.host}`;
}
