import type { AuthorizationServer, TokenEndpointResponse } from 'oauth4webapi';
import type { TokenStorage } from './pairing.ts';
import type { Problem } from './problem.ts';

/** What a sign-in or a refresh gave. */
export type Granted =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'unreachable' };

/** How going to the sign-in ended; `not_here` where this server has none of its own. */
export type Begin = 'gone' | 'unreachable' | 'not_here';

export interface CodeFlowOptions {
  /** The client id of the page, which is also the name under which it keeps things. */
  readonly clientId: string;
  readonly scope: string;
  /** The address of the page, without query and fragment: where the server sends the browser back to. */
  readonly page: URL;
  readonly storage: TokenStorage;
  readonly send: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Leaves the page for another. */
  readonly go: (address: string) => void;
  /** Whether another tab keeps the same, since this one was made by duplicating it. */
  readonly isCopy?: () => Promise<boolean>;
}

/** What a tab keeps of a sign-in that it began, until the browser comes back. */
interface Begun {
  readonly state: string;
  readonly verifier: string;
}

/** What a tab keeps of one that ended well. */
interface Kept {
  readonly refreshToken: string;
  readonly endsAt: number;
}

const NOT_BEGUN_HERE: Problem = {
  status: 400,
  code: 'unknown',
  detail: 'The browser came back from a sign-in that this tab did not begin, or that was completed before.',
  next: 'Sign in again.',
};
/** A token is changed for a new one this long before it ends. */
const EARLY_MS = 60_000;

/**
 * Signs a person in on a page of the server: authorization code with PKCE (RFC 7636), the issuer of the answer checked
 * (RFC 9207), and refresh tokens that are used once. Everything that it keeps is this tab's own.
 */
export class CodeFlow {
  readonly #options: CodeFlowOptions;

  constructor(options: CodeFlowOptions) {
    this.#options = options;
  }

  /** Goes to the server's sign-in. */
  async begin(): Promise<Begin> {
    const { clientId, scope, page, go } = this.#options;
    try {
      const oauth = await import('oauth4webapi');
      const server = await this.#discover();
      if (server === null) return 'not_here';
      const begun: Begun = {
        state: oauth.generateRandomState(),
        verifier: oauth.generateRandomCodeVerifier(),
      };
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: page.href,
        scope,
        state: begun.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        resource: this.#resource,
      };
      this.#keep('begun', begun);
      go(`${server.authorization_endpoint}?${new URLSearchParams(parameters)}`);
      return 'gone';
    } catch {
      return 'unreachable';
    }
  }

  /** Completes the sign-in that the browser came back from with these parameters. They are good once. */
  async complete(returned: URLSearchParams): Promise<Granted> {
    const begun = this.#read<Begun>('begun');
    // What is kept stays where another state comes: an address that somebody else made up must not end a sign-in.
    if (begun === null || returned.get('state') !== begun.state)
      return { kind: 'refused', problem: NOT_BEGUN_HERE };
    this.#take('begun');
    if (returned.has('error')) return refusedBy(returned.get('error'));
    return this.#ask(async (oauth, server, client) => {
      const parameters = oauth.validateAuthResponse(server, client, returned, begun.state);
      const { page } = this.#options;
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        parameters,
        page.href,
        begun.verifier,
        this.#request(oauth),
      );
      return oauth.processAuthorizationCodeResponse(server, client, response);
    });
  }

  /** Whether the token ends soon and another can be asked for. */
  get isDue(): boolean {
    const kept = this.#read<Kept>('kept');
    return kept !== null && this.#options.now() >= kept.endsAt - EARLY_MS;
  }

  /** A new token for one that ends soon; null where there is nothing to do, or nothing to do it with. */
  async refreshed(): Promise<Granted | null> {
    // A refresh token is good once. Used by two tabs it would look stolen, and end the sign-in of both.
    if (this.isDue && (await this.#options.isCopy?.()) === true) this.forget();
    const kept = this.#read<Kept>('kept');
    if (kept === null || !this.isDue) return null;
    return this.#ask(async (oauth, server, client) => {
      const { refreshToken } = kept;
      const request = this.#request(oauth);
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        oauth.None(),
        refreshToken,
        request,
      );
      return oauth.processRefreshTokenResponse(server, client, response);
    });
  }

  /** The token has ended before its time; whether another can be asked for without the person. */
  expire(): boolean {
    const kept = this.#read<Kept>('kept');
    if (kept !== null) this.#keep('kept', { ...kept, endsAt: 0 });
    return kept !== null;
  }

  /** Forgets the person: the next token needs a sign-in. */
  forget(): void {
    this.#take('kept');
  }

  async #ask(
    work: (
      oauth: typeof import('oauth4webapi'),
      server: AuthorizationServer,
      client: { client_id: string },
    ) => Promise<TokenEndpointResponse>,
  ): Promise<Granted> {
    try {
      const oauth = await import('oauth4webapi');
      try {
        const server = await this.#discover();
        if (server === null) return { kind: 'unreachable' };
        const answer = await work(oauth, server, { client_id: this.#options.clientId });
        const { access_token: token, refresh_token: refreshToken, expires_in: seconds = 0 } = answer;
        if (refreshToken !== undefined)
          this.#keep('kept', { refreshToken, endsAt: this.#options.now() + seconds * 1000 });
        return { kind: 'token', token };
      } catch (error) {
        if (!isRefusal(oauth, error)) throw error;
        this.forget();
        return refusedBy('error' in error ? String(error.error) : null);
      }
    } catch {
      return { kind: 'unreachable' };
    }
  }

  /** Null where the server has no sign-in of its own. */
  async #discover(): Promise<AuthorizationServer | null> {
    const oauth = await import('oauth4webapi');
    const issuer = new URL(this.#options.page.origin);
    const request = { algorithm: 'oauth2' as const, ...this.#insecure(oauth) };
    const response = await oauth.discoveryRequest(issuer, request);
    return response.status === 404 ? null : oauth.processDiscoveryResponse(issuer, response);
  }

  #request(oauth: typeof import('oauth4webapi')) {
    return { additionalParameters: { resource: this.#resource }, ...this.#insecure(oauth) };
  }

  /** A page came from this very server: where that has no TLS, the browser was content with it before. */
  #insecure(oauth: typeof import('oauth4webapi')) {
    const { page, send } = this.#options;
    return {
      [oauth.allowInsecureRequests]: page.protocol === 'http:',
      [oauth.customFetch]: (address: string, init: object) => send(address, init),
    };
  }

  get #resource(): string {
    return `${this.#options.page.origin}/mcp`;
  }

  #keep(name: string, value: object): void {
    this.#options.storage.setItem(this.#key(name), JSON.stringify(value));
  }

  #read<Value>(name: string): Value | null {
    const text = this.#options.storage.getItem(this.#key(name));
    return text === null ? null : (JSON.parse(text) as Value);
  }

  #take<Value>(name: string): Value | null {
    const value = this.#read<Value>(name);
    this.#options.storage.removeItem(this.#key(name));
    return value;
  }

  #key(name: string): string {
    return `${this.#options.clientId}.${name}`;
  }
}

/** Whether the server said no. One that is overloaded or not ready, or something in between, said nothing yet. */
function isRefusal(oauth: typeof import('oauth4webapi'), error: unknown): error is Error {
  if (error instanceof oauth.ResponseBodyError) return error.status !== 429;
  if (error instanceof oauth.AuthorizationResponseError) return true;
  if (!(error instanceof oauth.OperationProcessingError)) return false;
  return error.code !== oauth.RESPONSE_IS_NOT_CONFORM && error.code !== oauth.RESPONSE_IS_NOT_JSON;
}

function refusedBy(code: string | null): Granted & { readonly kind: 'refused' } {
  const detail =
    code === 'access_denied'
      ? 'The sign-in was refused.'
      : 'The server does not accept this sign-in any more.';
  return {
    kind: 'refused',
    problem: { status: 400, code: code ?? 'unknown', detail, next: 'Sign in again.' },
  };
}
