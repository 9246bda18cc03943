import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventStream } from '../harness/event-stream.ts';
import { modernHeaders, modernMessage, openSession, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { type Published, publish } from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';

const WOUND = 'care://ray/wound';
const EXERCISES = 'care://ray/exercises';
const RISK = 'care-internal://ray/risk';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

let data: string;
let server: RunningServer;

beforeEach(async () => {
  data = temporaryFolder();
  server = await startServer(data);
});

afterEach(async () => {
  await server?.kill();
  removeFolder(data);
});

const correct = (uri: string): Promise<Published> =>
  publish(server.url, uri, `Corrected at ${process.hrtime.bigint()}.`);

/** The log's word of a correction: where to read, and no word of what is read there. */
const logged = ({ uri, version }: Published, more: object = {}): object => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: {
    level: 'notice',
    logger: 'resources',
    data: { uri, version, previousVersion: version - 1, kind: 'revise' },
    ...more,
  },
});

const updated = (uri: string): object => ({ method: 'notifications/resources/updated', params: { uri } });

describe('a client of the older era', () => {
  const level = async (token: string, ...levels: readonly string[]) => {
    const session = await openSession(server.url, token);
    for (const each of levels)
      expect((await session.send('logging/setLevel', { level: each })).status).toBe(200);
    return session;
  };

  it('that set a level is told of every correction that it may hear of, without a subscription', async () => {
    const session = await level(await server.mint('care.read.user'), 'info');
    const stream = await session.stream();
    await correct(RISK);
    const first = await correct(WOUND);
    const second = await correct(EXERCISES);
    expect(await stream.message()).toEqual(logged(first));
    expect(await stream.message()).toEqual(logged(second));
    expect(stream.raw).not.toContain('risk');
    expect(stream.raw).not.toContain('Corrected');
    stream.close();
  });

  it('hears of internal corrections when it may read them', async () => {
    const session = await level(await server.mint(READ_BOTH), 'debug');
    const stream = await session.stream();
    expect(await correct(RISK).then(logged)).toEqual(await stream.message());
    stream.close();
  });

  it.each([
    ['no level', []],
    ['a level above it', ['warning']],
    ['a level that it took back', ['debug', 'error']],
  ])('with %s hears on the log channel of nothing', async (_what, levels) => {
    const session = await level(await server.mint('care.read.user'), ...levels);
    await session.send('resources/subscribe', { uri: WOUND });
    const stream = await session.stream();
    await correct(EXERCISES);
    await correct(WOUND);
    expect(await stream.message()).toMatchObject(updated(WOUND));
    stream.close();
  });

  it('that subscribed too is told both ways, and a creation is no correction', async () => {
    const session = await level(await server.mint('care.read.user'), 'notice');
    await session.send('resources/subscribe', { uri: WOUND });
    const stream = await session.stream();
    await publish(server.url, 'care://ray/tea', 'Two cups.');
    const corrected = await correct(WOUND);
    expect(await stream.message()).toEqual(logged(corrected));
    expect(await stream.message()).toMatchObject(updated(WOUND));
    // Each way once.
    const next = await correct(EXERCISES);
    expect(await stream.message()).toEqual(logged(next));
    stream.close();
  });

  it('is told of what it missed, in order, once, after a restart too', async () => {
    const { port } = new URL(server.url);
    const session = await level(await server.mint('care.read.user'), 'notice');
    await session.send('resources/subscribe', { uri: EXERCISES });
    const stream = await session.stream();
    const first = await correct(WOUND);
    expect(await stream.message()).toEqual(logged(first));
    const id = /^id: (.*)$/gm.exec(stream.raw.slice(stream.raw.indexOf('\n\n')))?.[1];
    await server.kill();
    server = await startServer(data, { UNSAY_PORT: port });
    const missed = [
      await correct(WOUND),
      await correct(RISK),
      await correct(EXERCISES),
      await correct(WOUND),
    ];
    const again = await session.at(server.url).resume(id);
    const [second, , third, fourth] = missed as [Published, Published, Published, Published];
    expect(await again.message()).toEqual(logged(second));
    expect(await again.message()).toEqual(logged(third));
    expect(await again.message()).toMatchObject(updated(EXERCISES));
    expect(await again.message()).toEqual(logged(fourth));
    const last = await correct(WOUND);
    expect(await again.message()).toEqual(logged(last));
    expect(again.raw).not.toContain('risk');
    again.close();
  });

  it('is refused a level that there is not', async () => {
    const session = await openSession(server.url, await server.mint('care.read.user'));
    const answer = await (await session.send('logging/setLevel', { level: 'loud' })).json();
    expect(answer).toMatchObject({ error: { code: -32602 } });
  });
});

describe('a request of the modern era', () => {
  const listening = async (
    token: string,
    notifications: object,
    meta: Readonly<Record<string, unknown>>,
  ): Promise<EventStream> => {
    const message = modernMessage('subscriptions/listen', { notifications }, 7) as {
      params: { _meta: object };
    };
    Object.assign(message.params._meta, meta);
    const stream = await EventStream.open(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        ...modernHeaders(token, 'subscriptions/listen'),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
    });
    return stream;
  };
  const mine = { _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } };

  it('that asks for the log is told of every correction that it may hear of', async () => {
    const stream = await listening(await server.mint('care.read.user'), {}, { [LOG_LEVEL]: 'notice' });
    expect(await stream.message()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    await correct(RISK);
    const first = await correct(WOUND);
    const second = await correct(EXERCISES);
    expect(await stream.message()).toEqual(logged(first, mine));
    expect(await stream.message()).toEqual(logged(second, mine));
    expect(stream.raw).not.toContain('risk');
    expect(stream.raw).not.toContain('Corrected');
    stream.close();
  });

  it.each([
    ['does not ask', {}],
    ['asks from a higher level on', { [LOG_LEVEL]: 'critical' }],
  ])('that %s gets no log message', async (_what, meta) => {
    const filter = { resourceSubscriptions: [WOUND] };
    const stream = await listening(await server.mint('care.read.user'), filter, meta);
    await stream.message();
    await correct(EXERCISES);
    await correct(WOUND);
    expect(await stream.message()).toMatchObject(updated(WOUND));
    stream.close();
  });

  it('ends for the log too when its token is revoked', async () => {
    const token = await server.mint('care.read.user');
    const stream = await listening(token, {}, { [LOG_LEVEL]: 'debug' });
    await stream.message();
    const { raw } = stream;
    await server.operate('token-revoke', { token });
    await stream.over;
    await correct(WOUND);
    expect(stream.raw).toBe(raw);
  });

  it('with a level that there is not is refused', async () => {
    const message = modernMessage('subscriptions/listen', { notifications: {} }) as {
      params: { _meta: object };
    };
    Object.assign(message.params._meta, { [LOG_LEVEL]: 'loud' });
    const token = await server.mint('care.read.user');
    const answer = await post(server.url, message, modernHeaders(token, 'subscriptions/listen'));
    expect(await answer.json()).toMatchObject({ error: { code: -32602 } });
  });
});
