import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { connect, ERAS } from '../harness/era-client.ts';
import { followRaw, openSession } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { type Published, publish } from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';

const WOUND = 'care://ray/wound';
const RISK = 'care-internal://ray/risk';

const data = temporaryFolder();
const clock = new ClockFile();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data, { UNSAY_CLOCK: clock.setting });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
  clock.remove();
});

let count = 0;
function write(uri: string): Promise<Published> {
  count += 1;
  return publish(server.url, uri, `Sentence ${count}.`, clock.now);
}

const hears = (uri: string): object => ({ method: 'notifications/resources/updated', params: { uri } });

describe.each(ERAS)('a %s stream', (era) => {
  it('ends when its token is revoked on the command line, and the token is worth nothing more', async () => {
    const token = await server.mint('care.read.user');
    const stream = await followRaw(era, server.url, token, [WOUND]);
    await write(WOUND);
    expect(await stream.message()).toMatchObject(hears(WOUND));
    const revoked = await server.unsay('token', 'revoke', token);
    expect(revoked).toEqual({ code: 0, stdout: 'revoked\n', stderr: '' });
    const { raw } = stream;
    await stream.over;
    await write(WOUND);
    expect(stream.raw).toBe(raw);
    await expect(connect(era, server.url, token)).rejects.toThrow();
    const verify = await fetch(`${server.url}/verify`, { headers: { authorization: `Bearer ${token}` } });
    expect(verify.status).toBe(401);
  });

  it('carries nothing that is published from the moment of the revocation on', async () => {
    const [token, other] = await Promise.all([server.mint('care.read.user'), server.mint('care.read.user')]);
    const [stream, witness] = await Promise.all(
      [token, other].map((each) => followRaw(era, server.url, each, [WOUND])),
    );
    const before = stream?.raw;
    await server.operate('token-revoke', { token });
    await write(WOUND);
    await stream?.over;
    expect(stream?.raw).toBe(before);
    // A second token of the same holder is another token.
    expect(await witness?.message()).toMatchObject(hears(WOUND));
    witness?.close();
  });

  it('ends when its token expires, though nothing happens', async () => {
    const [token, longer] = await Promise.all([
      server.mint('care.read.user', { ttl: 60 }),
      server.mint('care.read.user', { ttl: 7200 }),
    ]);
    const [stream, witness] = await Promise.all(
      [token, longer].map((each) => followRaw(era, server.url, each, [WOUND])),
    );
    const { exp = 0 } = decodeJwt(token);
    clock.move(exp * 1000 - 1 - clock.now);
    await write(WOUND);
    expect(await stream?.message()).toMatchObject(hears(WOUND));
    const before = stream?.raw;
    clock.move(1);
    await stream?.over;
    expect(stream?.raw).toBe(before);
    await write(WOUND);
    for (let times = 0; times < 2; times += 1) expect(await witness?.message()).toMatchObject(hears(WOUND));
    witness?.close();
  });

  it('carries nothing that is published after the expiry, however soon', async () => {
    const token = await server.mint('care.read.user', { ttl: 60 });
    const stream = await followRaw(era, server.url, token, [WOUND]);
    const before = stream.raw;
    clock.move(60_000);
    const { subscribers } = await write(WOUND);
    await stream.over;
    expect([subscribers, stream.raw]).toEqual([0, before]);
  });
});

describe('a legacy session', () => {
  it('tells a stream what that stream’s own token may hear, whoever subscribed', async () => {
    const [wide, narrow] = await Promise.all([server.mint(READ_BOTH), server.mint('care.read.user')]);
    const session = await openSession(server.url, wide);
    for (const uri of [RISK, WOUND]) {
      const answer = await session.send('resources/subscribe', { uri });
      expect(await answer.json()).toMatchObject({ result: {} });
    }
    const stream = await session.stream(narrow);
    await write(RISK);
    await write(WOUND);
    expect(await stream.message()).toMatchObject(hears(WOUND));
    expect(stream.raw).not.toContain('internal');
    const read = await session.send('resources/read', { uri: RISK }, narrow);
    expect(await read.json()).toMatchObject({ error: { code: -32002 } });
    stream.close();
  });

  it('is not there for anybody else', async () => {
    const session = await openSession(server.url, await server.mint(READ_BOTH));
    for (const grant of [{ sub: 'somebody-else' }, { client: 'another-client' }]) {
      const token = await server.mint(READ_BOTH, grant);
      const answers = [
        await session.send('resources/list', {}, token),
        (await session.stream(token)).response,
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    }
    expect((await session.send('resources/list', {})).status).toBe(200);
  });

  it('goes on under a new token of the same holder when the first has ended', async () => {
    const [first, second] = await Promise.all([server.mint(READ_BOTH), server.mint(READ_BOTH)]);
    const session = await openSession(server.url, first);
    await session.send('resources/subscribe', { uri: WOUND });
    const stream = await session.stream();
    await server.operate('token-revoke', { token: first });
    await stream.over;
    expect((await session.send('resources/list', {})).status).toBe(401);
    expect((await session.send('resources/list', {}, second)).status).toBe(200);
    const next = await session.stream(second);
    await write(WOUND);
    expect(await next.message()).toMatchObject(hears(WOUND));
    next.close();
  });
});

it('no request has made the server fail', () => {
  expect(server.faults()).toBe('');
});
