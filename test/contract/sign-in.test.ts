import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createProofMaker } from '@unsay/auth/testing';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../harness/era-client.ts';
import { followRaw, modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { Application, CALLBACK, Person, type Tokens } from '../harness/sign-in.ts';
import { publish } from '../harness/signed-write.ts';

const WOUND = 'care://ray/wound';
const READ = 'care.read.user';

const data = temporaryFolder();
let server: RunningServer;
let owner: Person;
let assistant: Application;

beforeAll(async () => {
  server = await startServer(data);
  owner = new Person(server);
  await owner.enrol();
  await server.unsay('subject', 'grant', '--sub', 'owner', '--subject', 'sam');
  assistant = await Application.register(server);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

/** Lets an application in, for these subjects, and gives its tokens. */
async function letIn(
  application: Application,
  scope = READ,
  subjects: unknown = ['ray'],
  headers: Readonly<Record<string, string>> = {},
): Promise<Tokens> {
  const asked = await owner.signIn(await owner.sentBy(application.authorization(scope)));
  const allowed = await owner.allow(asked.pathname, subjects);
  return application.exchange(allowed.searchParams.get('code'), headers);
}

function readWound(token: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const message = modernMessage('resources/read', { uri: WOUND });
  return post(server.url, message, { ...modernHeaders(token, 'resources/read', WOUND), ...headers });
}

describe('an application that nobody knows', () => {
  it('asks, is shown for what it is, and gets what the person allowed and no more', async () => {
    const interaction = await owner.sentBy(assistant.authorization(`${READ} care.read.assistant care.speak`));
    expect(JSON.parse((await owner.state(interaction)).body)).toMatchObject({
      wants: 'sign_in',
      client: {
        name: 'An assistant',
        host: '127.0.0.1:9',
        redirectHost: '127.0.0.1:9',
        isFirstParty: false,
      },
      person: null,
    });
    const asked = await owner.signIn(interaction);
    const state = JSON.parse((await owner.state(asked.pathname)).body);
    expect(state).toMatchObject({ wants: 'consent', person: 'The owner of this server' });
    expect(state.scopes.toSorted()).toEqual(['care.read.assistant', READ]);
    expect(state.subjects.toSorted()).toEqual(['ray', 'sam']);
    const allowed = await owner.allow(asked.pathname, ['ray']);
    expect(allowed.href).toMatch(new RegExp(`^${CALLBACK.replaceAll('.', '\\.')}\\?`));
    expect(allowed.searchParams.get('state')).toBe('the state');
    expect(allowed.searchParams.get('iss')).toBe(server.url);
    const tokens = await assistant.exchange(allowed.searchParams.get('code'));
    expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer' });
    const claims = decodeJwt(tokens.access_token ?? '');
    expect(claims).toMatchObject({
      iss: server.url,
      aud: `${server.url}/mcp`,
      sub: 'owner',
      subjects: ['ray'],
    });
    expect(String(claims.scope).split(' ').sort()).toEqual(['care.read.assistant', READ]);
    expect((await readWound(tokens.access_token ?? '')).status).toBe(200);
    const client = await connect('modern', server.url, tokens.access_token ?? '');
    await client.close();
  });

  it('is not given a scope that the account got after the person was asked', async () => {
    const someone = new Person(server, 'of someone');
    await server.operate('subject-grant', { sub: 'someone', subjects: ['ray'], scopes: [READ] });
    await someone.addPasskey(await server.mint(READ, { sub: 'someone', client: 'unsay-console' }));
    const asked = await someone.signIn(
      await someone.sentBy(assistant.authorization(`${READ} care.read.assistant`)),
    );
    const { scopes } = JSON.parse((await someone.state(asked.pathname)).body);
    expect(scopes).toEqual([READ]);
    await server.operate('subject-grant', {
      sub: 'someone',
      subjects: ['ray'],
      scopes: ['care.read.assistant'],
    });
    const step = `${asked.pathname}/allow`;
    for (const body of [
      { subjects: ['ray'] },
      { subjects: ['ray'], scopes: [] },
      { subjects: ['ray'], scopes: [1] },
    ])
      expect((await someone.post(step, body)).status).toBe(400);
    const allowed = await someone.goOn(await someone.post(step, { subjects: ['ray'], scopes }));
    const { access_token: token = '' } = await assistant.exchange(allowed.searchParams.get('code'));
    expect(decodeJwt(token).scope).toBe(READ);
  });

  it('is told no when the person refuses', async () => {
    const asked = await owner.signIn(await owner.sentBy(assistant.authorization(READ)));
    const refused = await owner.goOn(await owner.post(`${asked.pathname}/refuse`, {}));
    expect(refused.searchParams.get('error')).toBe('access_denied');
    expect(refused.searchParams.has('code')).toBe(false);
  });

  it('cannot have its code used twice: the tokens of the first use end', async () => {
    const asked = await owner.signIn(await owner.sentBy(assistant.authorization(READ)));
    const allowed = await owner.allow(asked.pathname, ['ray']);
    const code = allowed.searchParams.get('code');
    const { access_token: token = '' } = await assistant.exchange(code);
    expect((await readWound(token)).status).toBe(200);
    expect(await assistant.exchange(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect((await readWound(token)).status).toBe(401);
  });

  it.each([
    ['a redirect that differs in one character', { redirect_uri: `${CALLBACK}s` }],
    ['an unknown client', { client_id: 'nobody' }],
  ])('with %s is shown a page, and the browser is sent nowhere', async (_what, change) => {
    const page = await new Person(server).browser.go(assistant.authorization(READ, change));
    expect(page.status).toBe(400);
    expect(page.location).toBeUndefined();
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.body).not.toContain('<script');
  });

  it.each([
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a sibling resource', { resource: 'http://localhost:1/mcp' }, 'invalid_target'],
    ['another way to answer', { response_type: 'token' }, 'unsupported_response_type'],
  ])('with %s is refused at its own address', async (_what, change, error) => {
    const page = await new Person(server).browser.go(assistant.authorization(READ, change));
    // What would have been in the fragment is refused there.
    const { searchParams, hash } = page.location ?? new URL(CALLBACK);
    expect(searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')).toBe(error);
  });
});

describe('what is taken back', () => {
  it.each([
    ['the access token is revoked', async ({ access_token: token = '' }: Tokens) => assistant.revoke(token)],
    [
      'the refresh token is revoked',
      async ({ refresh_token: token = '' }: Tokens) => assistant.revoke(token),
    ],
    [
      'a refresh token is used again later than by mistake',
      async ({ refresh_token: token }: Tokens) => {
        const next = await assistant.refresh(token);
        expect(next).toMatchObject({ status: 200 });
        // Its answer was lost, or so it says: for a while that is believed.
        expect(await assistant.refresh(token)).toMatchObject({ status: 200 });
        return assistant.revoke(next.refresh_token ?? '');
      },
    ],
  ])('ends an open stream at once when %s', async (_what, end) => {
    const tokens = await letIn(assistant);
    const stream = await followRaw('modern', server.url, tokens.access_token ?? '', [WOUND]);
    await end(tokens);
    await stream.over;
    expect((await readWound(tokens.access_token ?? '')).status).toBe(401);
  });

  it('ends an open stream at once when the person may do less, and the next token says so', async () => {
    await server.unsay('subject', 'grant', '--sub', 'owner', '--subject', 'tom');
    const tokens = await letIn(assistant, READ, ['ray', 'tom']);
    const stream = await followRaw('modern', server.url, tokens.access_token ?? '', [WOUND]);
    const narrowed = await server.unsay('subject', 'revoke', '--sub', 'owner', '--subject', 'tom', '--json');
    expect(JSON.parse(narrowed.stdout)).toMatchObject({ sub: 'owner', subjects: ['ray', 'sam'] });
    await stream.over;
    expect((await readWound(tokens.access_token ?? '')).status).toBe(401);
    const next = await assistant.refresh(tokens.refresh_token);
    expect(decodeJwt(next.access_token ?? '').subjects).toEqual(['ray']);
    expect((await readWound(next.access_token ?? '')).status).toBe(200);
  });

  it('stays taken back after a restart, and what was not goes on', async () => {
    const ended = await letIn(assistant);
    const kept = await letIn(assistant);
    await assistant.revoke(ended.refresh_token ?? '');
    const { port } = new URL(server.url);
    await server.kill();
    server = await startServer(data, { UNSAY_PORT: port });
    expect((await readWound(ended.access_token ?? '')).status).toBe(401);
    expect(await assistant.refresh(ended.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    expect((await readWound(kept.access_token ?? '')).status).toBe(200);
    expect(await assistant.refresh(kept.refresh_token)).toMatchObject({ status: 200 });
  });
});

describe('a sign-in', () => {
  it('belongs to one browser', async () => {
    const interaction = await owner.sentBy(assistant.authorization(READ));
    const other = new Person(server);
    expect((await other.state(interaction)).status).toBe(404);
    expect((await other.post(`${interaction}/passkey-options`, {})).status).toBe(404);
    expect((await other.post(`${interaction}/refuse`, {})).status).toBe(404);
  });

  it('is refused with a passkey that nobody added, in the words of every other refusal', async () => {
    const stranger = new Person(server, 'another passkey');
    const interaction = await stranger.sentBy(assistant.authorization(READ));
    await expect(stranger.signIn(interaction)).rejects.toThrow('401');
  });

  it('takes steps from its own pages only', async () => {
    const interaction = await owner.sentBy(assistant.authorization(READ));
    for (const origin of [
      'https://elsewhere.example',
      'null',
      server.url.replace('localhost', '127.0.0.1'),
    ]) {
      const page = await owner.post(`${interaction}/passkey-options`, {}, { origin });
      expect(page.status).toBe(403);
    }
  });

  it('on the console needs no consent, and gives a token of the page', async () => {
    const console = new Application(server, 'unsay-console', `${server.url}/console`);
    const interaction = await owner.sentBy(console.authorization(`${READ} care.write`));
    const back = await owner.signIn(interaction);
    expect(back.pathname).toBe('/console');
    const { access_token: token = '' } = await console.exchange(back.searchParams.get('code'));
    expect(decodeJwt(token)).toMatchObject({ client_id: 'unsay-console', sub: 'owner' });
  });
});

describe('a passkey', () => {
  it('is added on the console and by no application that was let in', async () => {
    const { access_token: token = '' } = await letIn(assistant, `${READ} care.write`);
    expect((await owner.addPasskey(token)).status).toBe(404);
    expect((await owner.addPasskey('nonsense')).status).toBe(401);
    const guest = await server.mint(READ);
    expect((await owner.addPasskey(guest)).status).toBe(404);
  });
});

/** Sends a request whose Host is not where it goes, which `fetch` does not; gives the status. */
async function sendRaw(url: string, message: object, headers: Record<string, string>): Promise<number> {
  const all = { ...modernHeaders('', 'resources/read', WOUND), ...headers };
  const sent = request(`${url}/mcp`, { method: 'POST', headers: all });
  sent.end(JSON.stringify(message));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

describe('a token that is bound to a key', () => {
  it('is given to whoever proves a key, and is worth nothing without it', async () => {
    const now = Math.floor(Date.now() / 1000);
    const at = (address: string) =>
      createProofMaker({ method: 'POST', address: `${server.url}${address}`, now });
    const holder = await at('/token');
    const proof = await holder.prove('', { claims: { ath: undefined } });
    const tokens = await letIn(assistant, READ, ['ray'], { dpop: proof });
    expect(tokens).toMatchObject({ status: 200, token_type: 'DPoP' });
    const token = tokens.access_token ?? '';
    expect((await readWound(token)).status).toBe(401);
    const use = async (change: object = {}): Promise<number> => {
      const here = { htu: `${server.url}/mcp`, ...change };
      const dpop = await holder.prove(token, { claims: here });
      return (await readWound(token, { authorization: `DPoP ${token}`, dpop })).status;
    };
    expect(await use()).toBe(200);
    expect(await use({ htu: `${server.url}/write` })).toBe(401);
    // What was proved to a neighbour counts for nothing here, whatever the Host says.
    const neighbour = { htu: 'http://localhost:6666/mcp' };
    expect(await use(neighbour)).toBe(401);
    const dpop = await holder.prove(token, { claims: neighbour });
    const asNeighbour = { host: 'localhost:6666', authorization: `DPoP ${token}`, dpop };
    expect(await sendRaw(server.url, modernMessage('resources/read', { uri: WOUND }), asNeighbour)).toBe(401);
    expect(await use({ htu: `${server.url.replace('localhost', '127.0.0.1')}/mcp` })).toBe(200);
    const thief = await at('/mcp');
    const stolen = await thief.prove(token);
    expect((await readWound(token, { authorization: `DPoP ${token}`, dpop: stolen })).status).toBe(401);
    const proved = await holder.prove(token, { claims: { htu: `${server.url}/mcp` } });
    const headers = { authorization: `DPoP ${token}`, dpop: proved };
    expect((await readWound(token, headers)).status).toBe(200);
    const { port } = new URL(server.url);
    await server.kill();
    server = await startServer(data, { UNSAY_PORT: port });
    expect((await readWound(token, headers)).status).toBe(401);
  });
});

describe('a listener', () => {
  it('is enrolled with a pairing code, speaks for itself, and ends with all its tokens', async () => {
    const paired = await fetch(`${server.url}/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: server.code('device') }),
    });
    const { access_token: token } = (await paired.json()) as { access_token: string };
    const { client_id: clientId, subjects, scope } = decodeJwt(token);
    expect({ subjects, scope }).toEqual({ subjects: ['ray'], scope: `${READ} care.speak` });
    const listed = await server.unsay('listener', 'list', '--json');
    const { listeners } = JSON.parse(listed.stdout) as { listeners: { id: string; clientId: string }[] };
    const listener = listeners.find((each) => each.clientId === clientId);
    expect(listener).toMatchObject({ subject: 'ray', revokedAt: null });
    const stream = await followRaw('legacy', server.url, token, [WOUND]);
    expect(await server.unsay('listener', 'revoke', listener?.id ?? '')).toMatchObject({ code: 0 });
    await stream.over;
    await publish(server.url, WOUND, 'Nothing of this reaches it.');
    expect((await readWound(token)).status).toBe(401);
  });

  it('is added on the command line with a token of its own', async () => {
    const added = await server.unsay('listener', 'add', 'kitchen', '--subject', 'ray', '--json');
    const { token, clientId, name } = JSON.parse(added.stdout) as Record<string, string>;
    expect(name).toBe('kitchen');
    expect(decodeJwt(token ?? '')).toMatchObject({ client_id: clientId, subjects: ['ray'] });
    expect((await readWound(token ?? '')).status).toBe(200);
    expect(await server.unsay('listener', 'revoke', 'nobody')).toMatchObject({ code: 1 });
  });
});

it('a new signing key takes over at the next start, and what older ones signed goes on', async () => {
  const tokens = await letIn(assistant);
  const rotated = JSON.parse((await server.unsay('token', 'rotate-key', '--json')).stdout);
  expect(rotated).toMatchObject({ keyId: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), older: 1 });
  const { port } = new URL(server.url);
  await server.kill();
  server = await startServer(data, { UNSAY_PORT: port });
  const { keys } = (await (await fetch(`${server.url}/jwks`)).json()) as { keys: { kid: string }[] };
  const before = decodeProtectedHeader(tokens.access_token ?? '').kid;
  expect(keys.map(({ kid }) => kid)).toEqual([rotated.keyId, before]);
  expect((await readWound(tokens.access_token ?? '')).status).toBe(200);
  const next = await assistant.refresh(tokens.refresh_token);
  expect(decodeProtectedHeader(next.access_token ?? '').kid).toBe(rotated.keyId);
  expect((await readWound(next.access_token ?? '')).status).toBe(200);
  expect(decodeProtectedHeader(await server.mint(READ)).kid).toBe(rotated.keyId);
});

it('nothing configured means closed: before anybody was enrolled nobody gets in', async () => {
  const fresh = temporaryFolder();
  const untouched = await startServer(fresh);
  try {
    const application = await Application.register(untouched);
    const stranger = new Person(untouched);
    const interaction = await stranger.sentBy(application.authorization(READ));
    await expect(stranger.signIn(interaction)).rejects.toThrow('401');
  } finally {
    await untouched.kill();
    removeFolder(fresh);
  }
});
