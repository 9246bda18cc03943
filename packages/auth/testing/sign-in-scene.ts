import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'openid-client';
import { onTestFinished } from 'vitest';
import type { Account } from '../src/account.ts';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
} from '../src/authorization-server/index.ts';
import { createSigningKey, jwks } from '../src/authorization-server/signing-key.ts';
import { createRevocationRegistry } from '../src/resource-server/revocation-registry.ts';
import { createTokenVerifier } from '../src/resource-server/token-verifier.ts';
import { createCountingRandomness } from './counting-randomness.ts';
import { createMemoryAccountStores } from './memory-account-store.ts';
import { createMemoryRecordStore } from './memory-record-store.ts';
import { createMemoryRevocationStore } from './memory-revocation-store.ts';
import { TestBrowser } from './test-browser.ts';
import { createVirtualClock } from './virtual-clock.ts';

export const SCOPES = ['notes.read', 'notes.write', 'notes.audit'];
export const REDIRECT = 'http://127.0.0.1:7001/callback';

export const NORA: Account = {
  id: 'nora',
  name: 'Nora',
  scopes: new Set(['notes.read', 'notes.write']),
  subjects: new Set(['alpha', 'beta']),
  epoch: 4,
};

export type SignInScene = Awaited<ReturnType<typeof createSignInScene>>;

/** An authorization server on a socket, with pages that a test answers for the person, and strict clients. */
export async function createSignInScene(overrides: Partial<AuthorizationServerOptions> = {}) {
  const clock = createVirtualClock();
  const records = createMemoryRecordStore(clock);
  const { accountStore: accounts } = createMemoryAccountStores();
  await accounts.save(NORA);
  const revocations = createRevocationRegistry(createMemoryRevocationStore(), clock);
  await revocations.load();
  const key = createSigningKey();
  const faults: unknown[] = [];

  const http = createServer({ maxHeaderSize: 256 * 1024 }, (req, res) => void answer(req, res));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const local = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const issuer = overrides.issuer ?? local;
  const server: AuthorizationServer = createAuthorizationServer({
    issuer,
    resourceName: 'Notes',
    scopes: SCOPES,
    records,
    accounts,
    signingKeys: [key],
    cookieKeys: ['a cookie key of a test'],
    revocations,
    clock,
    randomness: createCountingRandomness(),
    firstParty: [{ clientId: 'console', name: 'Console', redirectUris: [`${local}/console`] }],
    clientDocuments: { fetch: () => Promise.reject(new Error('no document')) },
    onFault: (fault) => void faults.push(fault),
    ...overrides,
  });
  const verifier = createTokenVerifier({
    issuer,
    audience: `${issuer}/mcp`,
    keys: jwks([key]),
    clock,
    revocations,
  });

  /** The pages of an interaction: what is asked as JSON, and the person's answers. */
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, room, , step, ...rest] = (req.url ?? '').split('/');
    if (room !== 'interaction') return server.handle(req, res);
    const said = JSON.parse(decodeURIComponent(rest.join('/')) || '{}');
    try {
      res.end(JSON.stringify(await answerStep(step, said, req, res)));
    } catch (failure) {
      res.writeHead(503).end(`${failure}`);
    }
  }

  async function answerStep(
    step: string | undefined,
    said: { account: string; scopes: string[]; subjects: string[] | '*' },
    req: IncomingMessage,
    res: ServerResponse,
  ) {
    if (step === 'sign-in') return { next: await server.signIn(req, res, said.account) };
    if (step === 'allow') return { next: await server.allow(req, res, said) };
    if (step === 'refuse') return { next: await server.refuse(req, res) };
    const { account, ...asked } = (await server.interaction(req, res)) ?? {};
    return { ...asked, person: account?.name };
  }

  async function register(metadata: object = {}): Promise<oauth.Configuration> {
    return oauth.dynamicClientRegistration(
      new URL(issuer),
      { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', client_name: 'Reader', ...metadata },
      oauth.None(),
      { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
    );
  }

  return {
    clock,
    records,
    accounts,
    revocations,
    key,
    faults,
    issuer,
    /** Where it really listens. */
    local,
    server,
    verifier,
    register,
    discover: (clientId: string, authentication: oauth.ClientAuth = oauth.None()) =>
      oauth.discovery(new URL(issuer), clientId, undefined, authentication, {
        algorithm: 'oauth2',
        execute: [oauth.allowInsecureRequests],
      }),
    /** One answer of the person on the page that the browser is on. */
    async say(browser: TestBrowser, page: URL, step: string, said: object = {}): Promise<URL> {
      const answered = await browser.go(`${page.href}/${step}/${encodeURIComponent(JSON.stringify(said))}`);
      if (answered.status !== 200) throw new Error(answered.body);
      return new URL(JSON.parse(answered.body).next);
    },
    async asked(browser: TestBrowser, page: URL) {
      return JSON.parse((await browser.go(page)).body);
    },
    /** Lets nobody have a record of a kind before so many have found it, and then something else happened. */
    meet(kind: string, many: number, meanwhile: () => Promise<void> = async () => {}) {
      const { find } = records;
      let found = 0;
      let open: (value: Promise<void>) => void = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      records.find = async (kindAsked, id) => {
        const record = await find(kindAsked, id);
        if (kindAsked !== kind) return record;
        found += 1;
        if (found === many) open(meanwhile());
        await opened;
        return record;
      };
    },
    async outcomeOf(token: string) {
      const outcome = await verifier.verify(`Bearer ${token}`);
      return outcome.kind === 'verified' ? 'verified' : outcome.failure;
    },
  };
}

export const VERIFIER = 'v'.repeat(64);

/** An authorization request as a strict client makes it. */
export async function requestOf(
  config: oauth.Configuration,
  parameters: Record<string, string> = {},
): Promise<URL> {
  return oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    code_challenge: await oauth.calculatePKCECodeChallenge(VERIFIER),
    code_challenge_method: 'S256',
    state: 'a state',
    ...parameters,
  });
}

/** Lets a person do what is asked, and gives where the browser is sent in the end. */
export async function walk(
  scene: SignInScene,
  request: URL,
  said: { account?: string; scopes?: readonly string[]; subjects?: readonly string[] | '*' } = {},
  browser = new TestBrowser(),
): Promise<URL> {
  let { location } = await browser.go(request);
  while (location?.pathname.startsWith('/interaction/')) {
    const { wants } = await scene.asked(browser, location);
    const step = wants === 'sign_in' ? 'sign-in' : 'allow';
    const answer = wants === 'sign_in' ? { account: 'nora' } : { scopes: SCOPES, subjects: '*' };
    ({ location } = await browser.go(await scene.say(browser, location, step, { ...answer, ...said })));
  }
  if (location === undefined) throw new Error('the browser was sent nowhere');
  return location;
}

/** From the request to the tokens. */
export async function signIn(
  scene: SignInScene,
  config: oauth.Configuration,
  parameters: Record<string, string> = {},
  said: Parameters<typeof walk>[2] = {},
) {
  const callback = await walk(scene, await requestOf(config, parameters), said);
  return redeem(config, callback);
}

export function redeem(config: oauth.Configuration, callback: URL, parameters: Record<string, string> = {}) {
  const checks = { pkceCodeVerifier: VERIFIER, expectedState: 'a state' };
  return oauth.authorizationCodeGrant(config, callback, checks, parameters);
}

export function claimsIn(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
