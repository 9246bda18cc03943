import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCountingRandomness } from '../../testing/counting-randomness.ts';
import { createMemoryAccountStores } from '../../testing/memory-account-store.ts';
import { createMemoryRevocationStore } from '../../testing/memory-revocation-store.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  REDIRECT_URI,
  startUpstreamProvider,
  type UpstreamProviderScene,
} from '../../testing/upstream-provider.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { createRevocationRegistry } from '../resource-server/index.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { createUpstream, type Upstream } from './upstream-oidc.ts';

const UID = 'interaction-1';
let clock: VirtualClock;
let accounts: Accounts;
let provider: UpstreamProviderScene;
let upstream: Upstream;
let annsId: string;

beforeEach(async () => {
  clock = createVirtualClock();
  const revocations = createRevocationRegistry(createMemoryRevocationStore(), clock);
  await revocations.load();
  const store = createMemoryAccountStores().accountStore;
  accounts = createAccounts({ store, revocations, clock, scopes: ['notes.read'] });
  provider = await startUpstreamProvider();
  upstream = upstreamOf(provider.issuer);
  annsId = `${provider.issuer}#ann`;
  await accounts.grant(annsId, { scopes: ['notes.read'], subjects: ['alpha'] });
});

function upstreamOf(
  issuer: string,
  client: { clientId?: string; clientSecret?: string | undefined } = {},
): Upstream {
  return createUpstream({
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    redirectUri: REDIRECT_URI,
    accounts,
    clock,
    randomness: createCountingRandomness(),
    ...client,
  });
}

async function begin(uid = UID, from = upstream): Promise<string> {
  const start = await from.begin(uid);
  if (start.kind === 'refused') throw new Error(start.reason);
  return start.url;
}

/** The address that the browser comes back to, with what is changed about its query. */
async function comeBack(change: Readonly<Record<string, string>> = {}, uid = UID): Promise<string> {
  const callback = new URL(await provider.signIn(await begin(uid)));
  for (const [name, value] of Object.entries(change)) callback.searchParams.set(name, value);
  return callback.href;
}

async function ticketOf(callback: string): Promise<string> {
  const finish = await upstream.finish(callback);
  if (finish.kind !== 'signed_in') throw new Error(JSON.stringify(finish));
  return finish.ticket;
}

function refused(reason: string) {
  return { kind: 'refused', reason, interactionUid: UID };
}

const UNKNOWN = { kind: 'refused', reason: 'unknown_state' };

describe('a person whom the provider knows', () => {
  it('is sent there with PKCE, a state and a nonce, and asked for nothing but who it is', async () => {
    const url = new URL(await begin());
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid',
      state: expect.stringMatching(/^[\w-]{72}\.interaction-1$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('is signed in by a ticket, in the interaction that began it', async () => {
    const finish = await upstream.finish(await comeBack());
    expect(finish).toMatchObject({ kind: 'signed_in', accountId: annsId, interactionUid: UID });
    expect(upstream.redeem(finish.kind === 'signed_in' && finish.ticket, UID)).toBe(annsId);
  });

  it('is not enrolled without an account, or with one that may do nothing', async () => {
    provider.signedIn = 'bob';
    const id = `${provider.issuer}#bob`;
    const notEnrolled = { kind: 'not_enrolled', accountId: id, interactionUid: UID };
    expect(await upstream.finish(await comeBack())).toEqual(notEnrolled);
    await accounts.grant(id, { scopes: ['notes.read'], subjects: [] });
    expect(await upstream.finish(await comeBack())).toEqual(notEnrolled);
    await accounts.narrow(id, { scopes: ['notes.read'] });
    await accounts.grant(id, { scopes: [], subjects: ['alpha'] });
    expect(await upstream.finish(await comeBack())).toEqual(notEnrolled);
    await accounts.grant(id, { scopes: ['notes.read'], subjects: [] });
    expect(await upstream.finish(await comeBack())).toMatchObject({ kind: 'signed_in', accountId: id });
  });

  it.each([
    ['a secret in the header', 'client_secret_basic', CLIENT_SECRET, /^Basic /],
    ['a secret in the body', 'client_secret_post', CLIENT_SECRET, /^none$/],
    ['no secret', 'none', undefined, /^none$/],
  ] as const)('is signed in by a client with %s', async (_what, authMethod, clientSecret, header) => {
    provider = await startUpstreamProvider(authMethod);
    upstream = upstreamOf(provider.issuer, { clientSecret });
    const sent: string[] = [];
    provider.replace = ({ url, headers }) => {
      if (url === '/token') sent.push(headers.authorization ?? 'none');
      return false;
    };
    expect(await upstream.finish(await comeBack())).toMatchObject({ kind: 'not_enrolled' });
    expect(sent).toEqual([expect.stringMatching(header)]);
  });
});

describe('a ticket', () => {
  it('is good once, for one minute, for its interaction, as it is', async () => {
    const ticket = await ticketOf(await comeBack());
    expect(upstream.redeem(ticket, 'interaction-2')).toBeUndefined();
    const bens = Buffer.from('ben').toString('base64url');
    expect(upstream.redeem(`${ticket.split('.')[0]}.${bens}`, UID)).toBeUndefined();
    for (const made of [undefined, null, 7, '', '.', 'x', 'x'.repeat(20_000)]) {
      expect(upstream.redeem(made, UID)).toBeUndefined();
    }
    expect(upstream.redeem(ticket, UID)).toBe(annsId);
    expect(upstream.redeem(ticket, UID)).toBeUndefined();
    const late = await ticketOf(await comeBack());
    clock.advanceSeconds(60);
    expect(upstream.redeem(late, UID)).toBeUndefined();
  });

  it('is not a state, nor a state a ticket', async () => {
    const callback = await comeBack();
    const state = new URL(callback).searchParams.get('state') ?? '';
    expect(upstream.redeem(state, UID)).toBeUndefined();
    const ticket = await ticketOf(callback);
    expect(await upstream.finish(`${REDIRECT_URI}?code=c&state=${ticket}`)).toEqual(UNKNOWN);
  });
});

describe('coming back', () => {
  it('with a state that was never given is refused, and nothing is asked of the provider', async () => {
    const callback = await comeBack();
    const state = new URL(callback).searchParams.get('state') ?? '';
    const asked = provider.requests.length;
    const wrong = [
      `${'A'.repeat(72)}.${UID}`,
      `${state}2`,
      `${state.split('.')[0]}.interaction-2`,
      '',
      'x'.repeat(65_536),
    ];
    for (const made of wrong) {
      const altered = new URL(callback);
      altered.searchParams.set('state', made);
      expect(await upstream.finish(altered.href)).toEqual(UNKNOWN);
    }
    expect(await upstream.finish(REDIRECT_URI)).toEqual(UNKNOWN);
    expect(await upstream.finish('')).toEqual(UNKNOWN);
    expect(provider.requests).toHaveLength(asked);
  });

  it('works once', async () => {
    const callback = await comeBack();
    expect(await upstream.finish(callback)).toMatchObject({ kind: 'signed_in' });
    expect(await upstream.finish(callback)).toEqual(UNKNOWN);
  });

  it('works once also with another code', async () => {
    const url = await begin();
    const [first, second] = [await provider.signIn(url), await provider.signIn(url)];
    expect(await upstream.finish(first)).toMatchObject({ kind: 'signed_in' });
    expect(await upstream.finish(second)).toEqual(UNKNOWN);
  });

  it('works for one of many at once', async () => {
    const callback = await comeBack();
    const finishes = await Promise.all(Array.from({ length: 5 }, () => upstream.finish(callback)));
    expect(finishes.filter(({ kind }) => kind === 'signed_in')).toHaveLength(1);
  });

  it('works for ten minutes', async () => {
    const [early, late] = [await comeBack(), await comeBack()];
    clock.advanceSeconds(599);
    expect(await upstream.finish(early)).toMatchObject({ kind: 'signed_in' });
    clock.advanceSeconds(1);
    expect(await upstream.finish(late)).toEqual(UNKNOWN);
  });

  it('with the code of another sign-in is refused: the verifier is not its own', async () => {
    const code = new URL(await comeBack({}, 'interaction-2')).searchParams.get('code') ?? '';
    expect(await upstream.finish(await comeBack({ code }))).toEqual(refused('not_verified'));
  });

  it('from another issuer, or from none, is refused', async () => {
    const other = await comeBack({ iss: 'https://evil.example' });
    expect(await upstream.finish(other)).toEqual(refused('not_verified'));
    const none = new URL(await comeBack());
    none.searchParams.delete('iss');
    expect(await upstream.finish(none.href)).toEqual(refused('not_verified'));
    const twice = `${await comeBack()}&iss=${encodeURIComponent('https://evil.example')}`;
    expect(await upstream.finish(twice)).toEqual(refused('not_verified'));
  });

  it('with the no of the provider is refused as such', async () => {
    const no = new URL(await comeBack({ error: 'access_denied' }));
    no.searchParams.delete('code');
    expect(await upstream.finish(no.href)).toEqual(refused('denied'));
  });

  it('leaves everybody else where they are', async () => {
    const callback = await comeBack();
    for (let n = 0; n < 2000; n += 1) await upstream.begin(`stranger-${n}`);
    expect(await upstream.finish(callback)).toMatchObject({ kind: 'signed_in' });
  });
});

describe('an ID token', () => {
  it.each<[string, string, Parameters<typeof amendWith>[0]]>([
    ['for another client', 'not_verified', { aud: 'another' }],
    ['for another client too', 'not_verified', { aud: [CLIENT_ID, 'another'] }],
    ['of another issuer', 'not_verified', { iss: 'https://evil.example' }],
    ['with the nonce of another sign-in', 'not_verified', { nonce: 'A'.repeat(43) }],
    ['without a nonce', 'not_verified', { nonce: undefined }],
    ['that has ended', 'not_verified', { exp: 1_700_000_000 }],
    ['without a subject', 'not_verified', { sub: undefined }],
    ['with a subject that is no text', 'not_verified', { sub: 7 }],
    ['with a subject that is not ASCII', 'not_verified', { sub: 'Zoë' }],
  ])('%s is refused', async (_what, reason, change) => {
    amendWith(change);
    expect(await upstream.finish(await comeBack())).toEqual(refused(reason));
    amendWith({});
    expect(await upstream.finish(await comeBack())).toMatchObject({ kind: 'signed_in' });
  });

  function amendWith(change: Readonly<Record<string, unknown>>): void {
    provider.amend = (claims) => ({ ...claims, ...change });
  }

  it('of another key is refused', async () => {
    const callback = await comeBack();
    const other = await startUpstreamProvider();
    const keys = await (await fetch(`${other.issuer}/jwks`)).text();
    provider.replace = (req, res) => req.url === '/jwks' && answerWith(res, keys);
    expect(await upstream.finish(callback)).toEqual(refused('not_verified'));
  });
});

function answerWith(res: ServerResponse, body: string, status = 200): true {
  res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  return true;
}

describe('a provider', () => {
  it('is asked for nothing before someone signs in, and its metadata is read once', async () => {
    const issuer = provider.issuer;
    const idle = upstreamOf(issuer);
    expect(idle.host).toBe(new URL(issuer).host);
    expect(provider.requests).toEqual([]);
    await Promise.all([begin('one', idle), begin('two', idle)]);
    expect(provider.requests).toEqual(['GET /.well-known/openid-configuration']);
  });

  it('that cannot be reached is said to be so, and asked again the next time', async () => {
    provider.replace = (req) => req.socket.destroy() !== undefined;
    expect(await upstream.begin(UID)).toEqual({ kind: 'refused', reason: 'provider_unavailable' });
    provider.replace = undefined;
    expect(await upstream.begin(UID)).toMatchObject({ kind: 'begun' });
  });

  it('that goes away meanwhile is said to be so', async () => {
    const callback = await comeBack();
    await provider.stop();
    expect(await upstream.finish(callback)).toEqual(refused('provider_unavailable'));
  });

  it.each([
    ['an error', 500, '{}'],
    ['something else', 200, 'hello'],
    ['without end', 200, `{"a":"${'x'.repeat(300_000)}"}`],
    ['for another issuer', 200, '{"issuer":"https://evil.example"}'],
    ['with a redirect', 302, ''],
  ])('that answers %s is no provider', async (_what, status, body) => {
    provider.replace = (_req, res) => answerWith(res, body, status);
    expect(await upstream.begin(UID)).toEqual({ kind: 'refused', reason: 'provider_unavailable' });
  });

  it.each([
    ['an error', 503, '{}', 'provider_unavailable'],
    ['something else', 200, 'hello', 'provider_unavailable'],
    ['without end', 200, `{"a":"${'x'.repeat(300_000)}"}`, 'provider_unavailable'],
    ['no ID token', 200, '{"access_token":"a","token_type":"bearer"}', 'not_verified'],
  ])('that answers %s to the code signs nobody in', async (_what, status, body, reason) => {
    const callback = await comeBack();
    provider.replace = (_req, res) => answerWith(res, body, status);
    expect(await upstream.finish(callback)).toEqual(refused(reason));
  });

  it('must have an issuer that nobody on the way can play', () => {
    expect(() => upstreamOf('http://id.example')).toThrow('https');
  });
});
