import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, ERAS } from '../harness/era-client.ts';
import { pair } from '../harness/pairing.ts';
import { modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { Application, CALLBACK, Person } from '../harness/sign-in.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';

const WOUND = 'care://ray/wound';
const LIMITED = { status: 429, code: 'rate_limited' };

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  // The defaults, which every other test lifts.
  server = await startServer(data, {
    UNSAY_WRITES_PER_MINUTE: '60',
    UNSAY_REQUESTS_PER_SECOND: '200',
    UNSAY_FAILED_AUTH_PER_MINUTE: '60',
  });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

function read(token: string): Promise<Response> {
  const message = modernMessage('resources/read', { uri: WOUND });
  return post(server.url, message, modernHeaders(token, 'resources/read', WOUND));
}

function write(headers: Readonly<Record<string, string>>, body: string): Promise<Response> {
  return fetch(`${server.url}/write`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

const bodyOf = (value: string): string => writeBody(WOUND, value);
const statuses = async (answers: readonly Promise<Response>[]): Promise<readonly number[]> =>
  (await Promise.all(answers)).map(({ status }) => status);
const waitOf = (answer: Response): number => Number(answer.headers.get('retry-after'));

describe('writes', () => {
  it('are sixty a minute of one principal, refused ones too, and of no other', async () => {
    // The last is no draft at all: an attempt is an attempt.
    const values = [...Array.from({ length: 59 }, (_, n) => `Sentence ${n}.`), ''];
    const first = await statuses(values.map((value) => send(server.url, signed(bodyOf(value)))));
    expect(first.toSorted()).toEqual([...Array(59).fill(201), 400]);
    const tooMany = signed(bodyOf('One too many.'));
    const one = await send(server.url, tooMany);
    expect(waitOf(one)).toBeGreaterThanOrEqual(1);
    expect(waitOf(one)).toBeLessThanOrEqual(60);
    expect(await one.json()).toMatchObject(LIMITED);
    // Its signature was not used up, and what does not exist is limited in the same words.
    expect((await send(server.url, tooMany)).status).toBe(429);
    const absent = JSON.stringify({ uri: 'care://nobody/nothing', withdraw: true, authorId: 'nurse' });
    expect(await (await send(server.url, signed(absent))).json()).toMatchObject(LIMITED);
    const nurse = await server.mint(`${READ_BOTH} care.write`, { sub: 'nurse' });
    expect((await write({ authorization: `Bearer ${nurse}` }, bodyOf('By another.'))).status).toBe(201);
    const { rows, counted } = JSON.parse((await server.unsay('audit', '--json')).stdout) as {
      rows: { reason: string; actor: string }[];
      counted: { reason: string }[];
    };
    expect([...rows, ...counted].some(({ reason }) => reason === 'rate_limited')).toBe(true);
  });
});

describe('requests', () => {
  it('past two hundred a second are refused to one principal and not to another', async () => {
    const [ann, ben] = await Promise.all([
      server.mint('care.read.user', { sub: 'ann' }),
      server.mint('care.read.user', { sub: 'ben' }),
    ]);
    const answers = await Promise.all(Array.from({ length: 1200 }, () => read(ann)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(200);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(waitOf(answer)).toBe(1);
    expect(await refused[0]?.json()).toMatchObject(LIMITED);
    expect((await read(ben)).status).toBe(200);
  });

  it.each(ERAS)('that are refused are an error of a call to a %s client, which goes on', async (era) => {
    const token = await server.mint('care.read.user', { sub: `burst ${era}` });
    const client = await connect(era, server.url, token);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 600 }, () => client.call('resources/read', { uri: WOUND })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(150);
    await client.close();
  });
});

it('one that is caught and sent again uses up what its sender may fail, and nothing of its writer', async () => {
  const caught = temporaryFolder();
  const other = await startServer(caught, {
    UNSAY_WRITES_PER_MINUTE: '3',
    UNSAY_FAILED_AUTH_PER_MINUTE: '5',
  });
  const request = signed(bodyOf('Caught.'));
  const answers: number[] = [];
  for (let n = 0; n < 8; n += 1) answers.push((await send(other.url, request)).status);
  expect(answers).toEqual([201, ...Array(5).fill(401), 429, 429]);
  for (const value of ['Its own second.', 'Its own third.'])
    expect((await send(other.url, signed(bodyOf(value)))).status).toBe(201);
  expect((await send(other.url, signed(bodyOf('Its own fourth.')))).status).toBe(429);
  await other.stop();
  removeFolder(caught);
});

it('codes, refresh tokens and clients that are refused are limited too, and one that is good is not', async () => {
  const guessed = temporaryFolder();
  const other = await startServer(guessed, { UNSAY_FAILED_AUTH_PER_MINUTE: '3' });
  const owner = new Person(other);
  await owner.enrol();
  const assistant = await Application.register(other);
  const asked = await owner.signIn(await owner.sentBy(assistant.authorization('care.read.user')));
  const allowed = await owner.allow(asked.pathname, ['ray']);
  const stranger = new Application(other, 'nobody', CALLBACK);
  expect(await assistant.exchange('a guess')).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await assistant.refresh('a guess')).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await stranger.refresh('a guess')).toMatchObject({ status: 401, error: 'invalid_client' });
  for (const refused of [
    await assistant.exchange('a guess'),
    await assistant.refresh('a guess'),
    await stranger.refresh('a guess'),
  ])
    expect(refused).toMatchObject({ status: 429, error: 'slow_down' });
  expect(await assistant.exchange(allowed.searchParams.get('code'))).toMatchObject({ status: 200 });
  await other.stop();
  removeFolder(guessed);
});

describe('credentials that are not accepted', () => {
  it('are limited by address, and nothing else from there is', async () => {
    const good = await server.mint('care.read.user', { sub: 'good' });
    const first = await statuses(Array.from({ length: 58 }, () => read('nonsense')));
    expect(first).toEqual(Array(58).fill(401));
    // A wrong code and a false signature are of the same kind.
    expect((await pair(server, 'A'.repeat(22))).status).toBe(401);
    const forged = signed(bodyOf('Forged.'), { secret: 'another secret that nobody ever enrolled' });
    expect((await send(server.url, forged)).status).toBe(401);
    for (const answer of [
      await read('nonsense'),
      await send(server.url, forged),
      await pair(server, 'A'.repeat(22)),
      await fetch(`${server.url}/verify`, { headers: { authorization: 'Bearer nonsense' } }),
    ]) {
      expect(answer.status).toBe(429);
      expect(waitOf(answer)).toBeGreaterThanOrEqual(1);
      expect(await answer.json()).toMatchObject(LIMITED);
    }
    expect((await read(good)).status).toBe(200);
    // Who brings no credential is told what to bring, as ever.
    const message = modernMessage('resources/read', { uri: WOUND });
    const { authorization: _, ...headers } = modernHeaders('', 'resources/read', WOUND);
    expect((await post(server.url, message, headers)).status).toBe(401);
  });
});
