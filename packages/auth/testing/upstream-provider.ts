import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { TestBrowser } from './test-browser.ts';

export const CLIENT_ID = 'unsay';
export const CLIENT_SECRET = 'a secret of a test';
export const REDIRECT_URI = 'https://unsay.example/sign-in/callback';

type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';
type Claims = JWTPayload & Readonly<Record<string, unknown>>;

export type UpstreamProviderScene = Awaited<ReturnType<typeof startUpstreamProvider>>;

/** A real OpenID provider on a loopback socket, where `signedIn` is whoever is asked to sign in. */
export async function startUpstreamProvider(authMethod: ClientAuthMethod = 'client_secret_basic') {
  const jwk = {
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
    kid: 'one',
  };
  const state = {
    signedIn: 'ann',
    /** Changes the claims of each ID token, which is then signed again with the provider's key. */
    amend: undefined as ((claims: Claims) => Claims) | undefined,
    /** Answers each request in the place of the provider, where it gives true. */
    replace: undefined as ((req: IncomingMessage, res: ServerResponse) => boolean) | undefined,
    requests: [] as string[],
  };

  const http = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  async function stop(): Promise<void> {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
  onTestFinished(stop);
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  const provider = new Provider(issuer, {
    adapter: createMemoryAdapters(),
    clients: [
      {
        client_id: CLIENT_ID,
        ...(authMethod === 'none' ? {} : { client_secret: CLIENT_SECRET }),
        redirect_uris: [REDIRECT_URI],
        id_token_signed_response_alg: 'ES256',
        token_endpoint_auth_method: authMethod,
      },
    ],
    clientAuthMethods: [authMethod],
    cookies: { keys: ['a cookie key of a test'] },
    jwks: { keys: [{ ...jwk, alg: 'ES256', use: 'sig' }] },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    async loadExistingGrant({ oidc }) {
      if (oidc.client === undefined || oidc.session?.accountId === undefined) return undefined;
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    state.requests.push(`${req.method} ${req.url?.split('?')[0]}`);
    if (state.replace?.(req, res)) return;
    if (req.url?.startsWith('/login/')) {
      await provider.interactionFinished(req, res, { login: { accountId: state.signedIn } });
      return;
    }
    if (req.url === '/token' && state.amend !== undefined) amendAnswer(res, state.amend);
    await handle(req, res);
  }

  function amendAnswer(res: ServerResponse, amend: (claims: Claims) => Claims): void {
    const end = res.end.bind(res);
    res.end = (body: unknown) => {
      void amended(String(body), amend).then((text) => {
        res.setHeader('content-length', Buffer.byteLength(text));
        end(text);
      });
      return res;
    };
  }

  async function amended(body: string, amend: (claims: Claims) => Claims): Promise<string> {
    const answered = JSON.parse(body);
    const claims = amend(decodeJwt(answered.id_token));
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: jwk.kid });
    return JSON.stringify({ ...answered, id_token: await token.sign(await importJWK(jwk, 'ES256')) });
  }

  return Object.assign(state, {
    issuer,
    stop,
    /** Takes a fresh browser from the address that sign-in gave to the address that it comes back to. */
    async signIn(url: string): Promise<string> {
      const browser = new TestBrowser();
      let page = await browser.go(url);
      while (page.location !== undefined && page.location.origin === issuer)
        page = await browser.go(page.location);
      if (page.location === undefined) throw new Error(`the provider answered ${page.status}: ${page.body}`);
      return page.location.href;
    },
  });
}

/** The provider's own memory would say on every start that it is not for production. */
function createMemoryAdapters(): (kind: string) => Adapter {
  const kept = new Map<string, AdapterPayload>();
  return (kind) => {
    const keyOf = (id: string) => `${kind} ${id}`;
    const all = () => [...kept].filter(([key]) => key.startsWith(keyOf('')));
    return {
      upsert: async (id, payload) => void kept.set(keyOf(id), payload),
      find: async (id) => kept.get(keyOf(id)),
      findByUid: async (uid) => all().find(([, payload]) => payload.uid === uid)?.[1],
      findByUserCode: async () => undefined,
      consume: async (id) => void kept.set(keyOf(id), { ...kept.get(keyOf(id)), consumed: true }),
      destroy: async (id) => void kept.delete(keyOf(id)),
      async revokeByGrantId(grantId) {
        for (const [key, payload] of all()) if (payload.grantId === grantId) kept.delete(key);
      },
    };
  };
}
