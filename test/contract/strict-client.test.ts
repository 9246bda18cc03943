import * as rules from 'oauth4webapi';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocumentHost, startDocumentHost } from '../harness/client-document.ts';
import { modernHeaders, modernMessage } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { CALLBACK, Person } from '../harness/sign-in.ts';

const WOUND = 'care://ray/wound';
const READ = 'care.read.user';
const METHOD = 'resources/read';

// The one thing that is not strict: a server on this machine has no certificate.
const ON_THIS_MACHINE: oauth.DiscoveryRequestOptions = {
  algorithm: 'oauth2',
  execute: [oauth.allowInsecureRequests],
};
const OVER_HTTP = { [rules.allowInsecureRequests]: true };

const data = temporaryFolder();
let server: RunningServer;
let documents: DocumentHost;
let owner: Person;
let issuer: URL;
let mcp: URL;

beforeAll(async () => {
  documents = await startDocumentHost();
  server = await startServer(data, documents.settings);
  owner = new Person(server);
  await owner.enrol();
  mcp = new URL(`${server.url}/mcp`);
  issuer = await issuerOf(mcp);
});

afterAll(async () => {
  await server?.kill();
  await documents?.close();
  removeFolder(data);
});

/** From an address that refused to whoever lets people in there (RFC 9728). */
async function issuerOf(resource: URL): Promise<URL> {
  const answer = await rules.resourceDiscoveryRequest(resource, OVER_HTTP);
  const { authorization_servers: [found] = [] } = await rules.processResourceDiscoveryResponse(
    resource,
    answer,
  );
  if (found === undefined) throw new Error('no authorization server is named');
  return new URL(found);
}

const NOBODY = { redirect_uris: [CALLBACK], client_name: 'A strict client' };

/** The ways of being known, and how each of these clients then says who it is. */
const CLIENTS: readonly [string, () => Promise<oauth.Configuration>][] = [
  ['that registers', () => register('none', oauth.None())],
  ['that registers and keeps a secret', () => register('client_secret_basic', oauth.ClientSecretBasic())],
  ['that registers and posts its secret', () => register('client_secret_post', oauth.ClientSecretPost())],
  [
    'with a document',
    () => {
      const address = documents.serve('/strict.json', NOBODY);
      return oauth.discovery(issuer, address, undefined, oauth.None(), ON_THIS_MACHINE);
    },
  ],
];

function register(method: string, authentication: oauth.ClientAuth): Promise<oauth.Configuration> {
  const metadata = { ...NOBODY, token_endpoint_auth_method: method };
  return oauth.dynamicClientRegistration(issuer, metadata, authentication, ON_THIS_MACHINE);
}

interface Answered {
  /** Where the browser was sent back to. */
  readonly callback: URL;
  readonly checks: oauth.AuthorizationCodeGrantChecks;
}

/** Sends the person to the server, who signs in and allows it. */
async function ask(config: oauth.Configuration): Promise<Answered> {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = oauth.randomState();
  const request = oauth.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: READ,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    resource: mcp.href,
  });
  const asked = await owner.signIn(await owner.sentBy(request));
  const callback = await owner.allow(asked.pathname, ['ray']);
  return { callback, checks: { expectedState, pkceCodeVerifier } };
}

function exchange(
  config: oauth.Configuration,
  { callback, checks }: Answered,
  options?: oauth.DPoPOptions,
): ReturnType<typeof oauth.authorizationCodeGrant> {
  return oauth.authorizationCodeGrant(config, callback, checks, { resource: mcp.href }, options);
}

/** Reads a fact, and gives the status; a 401 is thrown, with its challenges read. */
async function read(config: oauth.Configuration, token: string, options?: oauth.DPoPOptions) {
  const { authorization: _, ...named } = modernHeaders(token, METHOD, WOUND);
  const headers = new Headers({ ...named, 'content-type': 'application/json' });
  const body = JSON.stringify(modernMessage(METHOD, { uri: WOUND }));
  const answer = await oauth.fetchProtectedResource(config, token, mcp, 'POST', body, headers, options);
  expect(await answer.json()).toMatchObject({ result: { contents: [{ uri: WOUND }] } });
  return answer.status;
}

/** The error of a 401, out of its challenge as the strict client reads one. */
async function refusal(reading: Promise<number>): Promise<unknown> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
    return error.cause.find(({ scheme }) => scheme === 'bearer')?.parameters.error;
  }
}

/** Judges a token as a resource server of somebody else does (RFC 9068). */
function judge(config: oauth.Configuration, token: string, audience: string) {
  const request = new Request(mcp, { headers: { authorization: `Bearer ${token}` } });
  return rules.validateJwtAccessToken(config.serverMetadata(), request, audience, OVER_HTTP);
}

describe.each(CLIENTS)('a strict client %s', (_how, become) => {
  it('signs a person in, reads, refreshes, and takes back what it was given', async () => {
    const config = await become();
    const first = await exchange(config, await ask(config));
    expect(first).toMatchObject({ token_type: 'bearer', scope: READ, expires_in: 3600 });
    expect(await read(config, first.access_token)).toBe(200);
    const next = await oauth.refreshTokenGrant(config, first.refresh_token ?? '', { resource: mcp.href });
    expect(await read(config, next.access_token)).toBe(200);
    expect(next.refresh_token).not.toBe(first.refresh_token);
    await oauth.tokenRevocation(config, next.refresh_token ?? '', { token_type_hint: 'refresh_token' });
    expect(await refusal(read(config, next.access_token))).toBe('invalid_token');
  });

  it('is given a token that holds by the rules of RFC 9068, for this resource alone', async () => {
    const config = await become();
    const { access_token: token } = await exchange(config, await ask(config));
    expect(await judge(config, token, mcp.href)).toMatchObject({
      sub: 'owner',
      client_id: config.clientMetadata().client_id,
      scope: READ,
    });
    await expect(judge(config, token, `${server.url}/write`)).rejects.toMatchObject({
      code: rules.JWT_CLAIM_COMPARISON,
    });
  });

  it('has its tokens bound to a key of its own, and they are worth nothing without it', async () => {
    const config = await become();
    const DPoP = oauth.getDPoPHandle(config, await oauth.randomDPoPKeyPair('ES256'));
    const first = await exchange(config, await ask(config), { DPoP });
    expect(first.token_type).toBe('dpop');
    expect(await read(config, first.access_token, { DPoP })).toBe(200);
    const refreshed = { resource: mcp.href };
    const next = await oauth.refreshTokenGrant(config, first.refresh_token ?? '', refreshed, { DPoP });
    expect(await read(config, next.access_token, { DPoP })).toBe(200);
    const thief = oauth.getDPoPHandle(config, await oauth.randomDPoPKeyPair('ES256'));
    for (const options of [{}, { DPoP: thief }])
      expect(await refusal(read(config, next.access_token, options))).toBe('invalid_token');
    await oauth.tokenRevocation(config, next.access_token);
    expect(await refusal(read(config, next.access_token, { DPoP }))).toBe('invalid_token');
  });
});

describe('a strict client', () => {
  it.each([
    ['of another issuer', (callback: URL) => callback.searchParams.set('iss', 'https://elsewhere.example')],
    ['of no issuer', (callback: URL) => callback.searchParams.delete('iss')],
    ['to another request', (callback: URL) => callback.searchParams.set('state', 'another')],
  ])('is told enough to refuse an answer %s (RFC 9207)', async (_what, change) => {
    const config = await register('none', oauth.None());
    const answered = await ask(config);
    const forged = new URL(answered.callback);
    change(forged);
    await expect(exchange(config, { ...answered, callback: forged })).rejects.toMatchObject({
      code: expect.stringMatching(/^OAUTH_/),
    });
    expect(await exchange(config, answered)).toHaveProperty('access_token');
  });

  it.each([
    ['for another resource (RFC 8707)', 'resource', 'https://elsewhere.example/mcp', 'invalid_target'],
    ['with another verifier (RFC 7636)', 'code_verifier', oauth.randomPKCECodeVerifier(), 'invalid_grant'],
    ['for another address (RFC 6749)', 'redirect_uri', `${CALLBACK}?another`, 'invalid_grant'],
    ['as another client (RFC 6749)', 'client_id', 'another', 'invalid_grant'],
  ])('gets no token %s, with a code that is good', async (_what, name, value, error) => {
    const config = await register('none', oauth.None());
    const { client_id: another } = (await register('none', oauth.None())).clientMetadata();
    const { callback, checks } = await ask(config);
    config[oauth.customFetch] = (address, { body: said, ...options }) => {
      const body = new URLSearchParams(`${said}`);
      body.set(name, name === 'client_id' ? another : value);
      return fetch(address, { ...options, body });
    };
    const asked = oauth.authorizationCodeGrant(config, callback, checks, { resource: mcp.href });
    await expect(asked).rejects.toMatchObject({ error });
  });
});
