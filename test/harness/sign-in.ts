import { createHash, randomBytes } from 'node:crypto';
import { createSoftwareAuthenticator, type Page, TestBrowser } from '@unsay/auth/testing';
import { pair } from './pairing.ts';
import type { RunningServer } from './running-server.ts';

type Authenticator = ReturnType<typeof createSoftwareAuthenticator>;

/** Where the applications of the tests are sent back to. Nobody listens there; the browser goes no further. */
export const CALLBACK = 'http://127.0.0.1:9/callback';

/** A person in front of a browser, with a passkey of theirs once it was added. */
export class Person {
  readonly browser = new TestBrowser();
  readonly #server: RunningServer;
  readonly #authenticator: Authenticator;

  constructor(server: RunningServer, credentialId = 'passkey') {
    this.#server = server;
    this.#authenticator = createSoftwareAuthenticator(server.url, credentialId);
  }

  /** Sends what a page would, as JSON from the server's own origin. */
  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.browser.go(new URL(path, this.#server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.#server.url, ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Opens the console by the address that the start printed and adds a passkey there. */
  async enrol(): Promise<void> {
    const paired = await pair(this.#server, this.#server.code('console'));
    const { access_token: token } = (await paired.json()) as { access_token: string };
    const added = await this.addPasskey(token);
    if (added.status !== 201) throw new Error(`no passkey was added: ${added.body}`);
  }

  async addPasskey(token: string): Promise<Page> {
    const headers = { authorization: `Bearer ${token}` };
    const options = await this.post('/passkeys/options', {}, headers);
    if (options.status !== 200) return options;
    const response = this.#authenticator.create(JSON.parse(options.body));
    return this.post('/passkeys', { response, label: 'My key' }, headers);
  }

  /** Is sent to the server by an application, and gives the address of the sign-in. */
  async sentBy(address: URL): Promise<string> {
    const page = await this.browser.go(address);
    const path = page.location?.pathname ?? '';
    if (!path.startsWith('/interaction/')) throw new Error(`no sign-in began: ${page.status} ${page.body}`);
    return path;
  }

  /** Signs in with the passkey, and gives where that leads: the next question, or the application. */
  async signIn(interaction: string): Promise<URL> {
    const options = await this.post(`${interaction}/passkey-options`, {});
    const response = this.#authenticator.get(JSON.parse(options.body));
    return this.goOn(await this.post(`${interaction}/passkey`, { response }));
  }

  /** Allows what the page shows, for these subjects, and gives where that leads. */
  async allow(interaction: string, subjects: unknown): Promise<URL> {
    const { scopes } = JSON.parse((await this.state(interaction)).body) as { scopes?: unknown };
    return this.goOn(await this.post(`${interaction}/allow`, { scopes, subjects }));
  }

  state(interaction: string): Promise<Page> {
    return this.browser.go(new URL(`${interaction}/state`, this.#server.url));
  }

  /** Follows an answer of a step to where the browser comes to rest: a question, or the application. */
  async goOn(answer: Page): Promise<URL> {
    const { continue: next } = JSON.parse(answer.body) as { continue?: string };
    if (next === undefined) throw new Error(`the step was refused: ${answer.status} ${answer.body}`);
    let address = new URL(next);
    for (;;) {
      if (address.origin !== this.#server.url || address.pathname.startsWith('/interaction/')) return address;
      const { location } = await this.browser.go(address);
      if (location === undefined) throw new Error(`nothing follows ${address}`);
      address = location;
      // The server's own pages are where it ends too.
      if (address.searchParams.has('code') || address.searchParams.has('error')) return address;
    }
  }
}

/** An application that a person lets in. */
export class Application {
  readonly #server: RunningServer;
  readonly #clientId: string;
  readonly #redirectUri: string;
  readonly #verifier = randomBytes(32).toString('base64url');

  constructor(server: RunningServer, clientId: string, redirectUri: string) {
    this.#server = server;
    this.#clientId = clientId;
    this.#redirectUri = redirectUri;
  }

  /** Registers itself, as an application does that nobody knows. */
  static async register(server: RunningServer, metadata: object = {}): Promise<Application> {
    const response = await fetch(`${server.url}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'An assistant',
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'none',
        ...metadata,
      }),
    });
    const { client_id: clientId } = (await response.json()) as { client_id: string };
    return new Application(server, clientId, CALLBACK);
  }

  /** Where it sends a browser. */
  authorization(scope: string, more: Readonly<Record<string, string>> = {}): URL {
    const challenge = createHash('sha256').update(this.#verifier).digest('base64url');
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: this.#clientId,
      redirect_uri: this.#redirectUri,
      scope,
      state: 'the state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: `${this.#server.url}/mcp`,
      ...more,
    });
    return new URL(`/authorize?${parameters}`, this.#server.url);
  }

  /** Changes a code for tokens. */
  exchange(code: string | null, headers: Readonly<Record<string, string>> = {}): Promise<Tokens> {
    const parameters = { code: code ?? '', redirect_uri: this.#redirectUri, code_verifier: this.#verifier };
    return this.#ask({ grant_type: 'authorization_code', ...parameters }, headers);
  }

  refresh(token: string | undefined): Promise<Tokens> {
    return this.#ask({ grant_type: 'refresh_token', refresh_token: token ?? '' });
  }

  async revoke(token: string): Promise<number> {
    const body = new URLSearchParams({ token, client_id: this.#clientId });
    return (await fetch(`${this.#server.url}/revoke`, { method: 'POST', body })).status;
  }

  async #ask(
    parameters: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Tokens> {
    const body = new URLSearchParams({ ...parameters, client_id: this.#clientId });
    const response = await fetch(`${this.#server.url}/token`, { method: 'POST', body, headers });
    return { status: response.status, ...((await response.json()) as Omit<Tokens, 'status'>) };
  }
}

/** What the token endpoint answered. */
export interface Tokens {
  readonly status: number;
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly token_type?: string;
  readonly scope?: string;
  readonly error?: string;
}
