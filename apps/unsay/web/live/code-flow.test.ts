import { expect, test } from 'vitest';
import { CodeFlow } from './code-flow.ts';
import { Pairing, type TokenStorage } from './pairing.ts';

const ORIGIN = 'https://unsay.example';
const METADATA = {
  issuer: ORIGIN,
  authorization_endpoint: `${ORIGIN}/authorize`,
  token_endpoint: `${ORIGIN}/token`,
  authorization_response_iss_parameter_supported: true,
};
const HOUR_MS = 3_600_000;

/** A tab in front of a server that answers the token endpoint with these, in turn. */
function tab(...answers: (Response | Error)[]) {
  let isCopy = false;
  let hasSignIn = true;
  const kept = new Map<string, string>();
  const storage: TokenStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
  const asked: URLSearchParams[] = [];
  const gone: URL[] = [];
  let now = 1_000_000;
  const send: typeof fetch = async (input, init) => {
    if (String(input).includes('/.well-known/'))
      return hasSignIn ? Response.json(METADATA) : Response.json({ code: 'not_found' }, { status: 404 });
    asked.push(new URLSearchParams(String(init?.body)));
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer left');
    return answer;
  };
  const flow = new CodeFlow({
    clientId: 'unsay-console',
    scope: 'care.read.user',
    page: new URL(`${ORIGIN}/console`),
    storage,
    send,
    now: () => now,
    go: (address) => void gone.push(new URL(address)),
    isCopy: async () => isCopy,
  });
  async function begun(): Promise<URLSearchParams> {
    expect(await flow.begin()).toBe('gone');
    return gone.at(-1)?.searchParams ?? new URLSearchParams();
  }
  return {
    kept,
    storage,
    send,
    asked,
    flow,
    begun,
    duplicate: () => {
      isCopy = true;
    },
    signInElsewhere: () => {
      hasSignIn = false;
    },
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

const tokens = (token: string, refreshToken: string): Response =>
  Response.json({
    access_token: token,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: HOUR_MS / 1000,
  });

const returned = (begun: URLSearchParams, changed: Record<string, string> = {}): URLSearchParams =>
  new URLSearchParams({ code: 'the-code', state: begun.get('state') ?? '', iss: ORIGIN, ...changed });

/** A tab in which somebody has signed in. */
async function signedIn(...answers: (Response | Error)[]) {
  const made = tab(tokens('t1', 'r1'), ...answers);
  expect(await made.flow.complete(returned(await made.begun()))).toEqual({ kind: 'token', token: 't1' });
  return made;
}

test('a sign-in proves at its end that this tab began it', async () => {
  const { flow, begun, asked } = tab(tokens('t1', 'r1'));
  const sent = await begun();
  expect(Object.fromEntries(sent)).toMatchObject({
    response_type: 'code',
    client_id: 'unsay-console',
    redirect_uri: `${ORIGIN}/console`,
    code_challenge_method: 'S256',
    resource: `${ORIGIN}/mcp`,
  });
  expect(await flow.complete(returned(sent))).toEqual({ kind: 'token', token: 't1' });
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ code: 'the-code', resource: `${ORIGIN}/mcp` });
  const verifier = new TextEncoder().encode(asked[0]?.get('code_verifier') ?? '');
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', verifier));
  const text = btoa(String.fromCharCode(...digest));
  expect(sent.get('code_challenge')).toBe(text.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''));
});

test.each([
  ['of another state', { state: 'foreign' }],
  ['of another issuer', { iss: 'https://evil.example' }],
  ['of no issuer', { iss: '' }],
])('an answer %s is refused, and its code is sent nowhere', async (_name, changed) => {
  const { flow, begun, asked } = tab(tokens('t1', 'r1'));
  const answer = returned(await begun(), changed);
  if (answer.get('iss') === '') answer.delete('iss');
  expect(await flow.complete(answer)).toMatchObject({ kind: 'refused' });
  expect(asked).toEqual([]);
});

test('an answer that somebody else made up ends no sign-in that this tab began', async () => {
  const { flow, begun } = tab(tokens('t1', 'r1'));
  const answer = returned(await begun());
  expect(await flow.complete(returned(new URLSearchParams({ state: 'made up' })))).toMatchObject({
    kind: 'refused',
  });
  expect(await flow.complete(answer)).toEqual({ kind: 'token', token: 't1' });
});

test('where people sign in elsewhere, the page says so and goes nowhere', async () => {
  const { flow, signInElsewhere, kept } = tab();
  signInElsewhere();
  expect(await flow.begin()).toBe('not_here');
  expect([...kept]).toEqual([]);
});

test('a duplicated tab leaves the refresh token to the tab it was made from', async () => {
  const { flow, wait, asked, duplicate } = await signedIn(tokens('t2', 'r2'));
  duplicate();
  wait(HOUR_MS);
  expect(flow.isDue).toBe(true);
  expect(await flow.refreshed()).toBeNull();
  expect(asked).toHaveLength(1);
  expect(flow.isDue).toBe(false);
});

test('the same answer again is refused', async () => {
  const { flow, begun, asked } = tab(tokens('t1', 'r1'), tokens('t2', 'r2'));
  const answer = returned(await begun());
  await flow.complete(answer);
  const again = await flow.complete(answer);
  expect(again).toMatchObject({ kind: 'refused', problem: { next: 'Sign in again.' } });
  expect(asked).toHaveLength(1);
});

test('a person who refused is told so', async () => {
  const { flow, begun } = tab();
  const answer = returned(await begun(), { error: 'access_denied' });
  answer.delete('code');
  const refused = await flow.complete(answer);
  expect(refused).toMatchObject({ kind: 'refused', problem: { detail: 'The sign-in was refused.' } });
});

test('a token is changed for another shortly before its end, each time with the newest refresh token', async () => {
  const { flow, asked, wait } = await signedIn(tokens('t2', 'r2'), tokens('t3', 'r3'));
  wait(HOUR_MS - 60_001);
  expect(await flow.refreshed()).toBeNull();
  wait(1);
  expect(await flow.refreshed()).toEqual({ kind: 'token', token: 't2' });
  wait(HOUR_MS);
  expect(await flow.refreshed()).toEqual({ kind: 'token', token: 't3' });
  expect(asked.map((body) => body.get('refresh_token'))).toEqual([null, 'r1', 'r2']);
});

test('a refresh that is refused forgets the person, and says that they have to sign in', async () => {
  const { flow, wait, kept } = await signedIn(Response.json({ error: 'invalid_grant' }, { status: 400 }));
  wait(HOUR_MS);
  const refused = await flow.refreshed();
  expect(refused).toMatchObject({ kind: 'refused', problem: { next: 'Sign in again.' } });
  expect([...kept]).toEqual([]);
});

const problem = { headers: { 'content-type': 'application/problem+json' } };
test.each([
  ['is not ready', () => Response.json({ error: 'temporarily_unavailable' }, { status: 503 })],
  ['has too much to do', () => new Response('{"code":"too_many_requests"}', { status: 429, ...problem })],
  ['limits in the words of OAuth', () => Response.json({ error: 'slow_down' }, { status: 429 })],
  ['is hidden by a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['is hidden by a page', () => new Response('<h1>Log in to this network</h1>')],
  ['does not answer', () => new Error('refused')],
])('a server that %s at a refresh costs nobody their sign-in', async (_name, answer) => {
  const { flow, wait } = await signedIn(answer(), tokens('t2', 'r2'));
  wait(HOUR_MS);
  expect(await flow.refreshed()).toEqual({ kind: 'unreachable' });
  expect(await flow.refreshed()).toEqual({ kind: 'token', token: 't2' });
});

test('who asks for a token at the same time shares one refresh', async () => {
  const { flow, wait, storage, send, asked } = await signedIn(tokens('t2', 'r2'));
  wait(HOUR_MS);
  const pairing = new Pairing({ storage, key: 'k', code: null, send, flow });
  const all = await Promise.all([pairing.access(), pairing.access(), pairing.access()]);
  expect(all).toEqual(Array(3).fill({ kind: 'token', token: 't2' }));
  expect(asked).toHaveLength(2);
});

test('a token that was refused before its end is changed for another without the person', async () => {
  const { flow, storage, send } = await signedIn(tokens('t2', 'r2'));
  const pairing = new Pairing({ storage, key: 'k', code: null, send, flow });
  expect(pairing.forget()).toBe(true);
  expect(await pairing.access()).toEqual({ kind: 'token', token: 't2' });
});

test('a token of a pairing code cannot be changed for another', async () => {
  const { flow, storage, send } = tab();
  storage.setItem('k', 't0');
  const pairing = new Pairing({ storage, key: 'k', code: null, send, flow });
  expect(pairing.forget()).toBe(false);
  expect(await pairing.access()).toEqual({ kind: 'unpaired', problem: null });
});
