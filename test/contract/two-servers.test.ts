import { type TemporarySchema, temporarySchema } from '@unsay/storage/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, ERAS } from '../harness/era-client.ts';
import { freePort } from '../harness/free-port.ts';
import { followRaw, openSession } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish, send, signed, writeBody } from '../harness/signed-write.ts';

const WOUND = 'care://ray/wound';
const EXERCISES = 'care://ray/exercises';
const PUBLIC_URL = 'http://localhost:9';

/** A server of the database, and where it really is. */
interface Node {
  readonly server: RunningServer;
  readonly url: string;
}

let schema: TemporarySchema;
let nodes: readonly [Node, Node];
const folders: string[] = [];
const open: { close(): unknown }[] = [];

async function startNode(): Promise<Node> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  folders.push(folder);
  const server = await startServer(folder, {
    UNSAY_PORT: String(port),
    UNSAY_DATABASE_URL: schema.url,
    UNSAY_MASTER_KEY: 'c0'.repeat(32),
    UNSAY_PUBLIC_URL: PUBLIC_URL,
  });
  return { server, url: `http://127.0.0.1:${port}` };
}

// At once, so that both find an empty database and would seed it.
beforeAll(async () => {
  schema = await temporarySchema();
  nodes = await Promise.all([startNode(), startNode()]);
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  await Promise.all(nodes.map(({ server }) => server.kill()));
  for (const folder of folders) removeFolder(folder);
  await schema.close();
});

async function wordsAt({ url }: Node, token: string): Promise<unknown> {
  const client = await connect('modern', url, token);
  open.push(client);
  const { contents } = await client.call('resources/read', { uri: WOUND });
  return (contents as [{ _meta: Record<string, unknown> }])[0]._meta['unsay/value'];
}

describe('two servers of one database', () => {
  it('name the database when they start, and no password', () => {
    for (const { server } of nodes) {
      expect(server.lines[0]).toMatch(
        /^Unsay: store PostgreSQL at 127\.0\.0\.1:\d+\/postgres \(durable\), facts sealed/,
      );
      expect(server.lines.join('\n')).not.toContain(new URL(schema.url).password);
    }
  });

  it('have a folder each, which no second one takes over', async () => {
    const { stderr, code } = await nodes[1].server.unsay('serve');
    expect([stderr, code]).toEqual([expect.stringMatching(/^A server runs on \S+ already\. Stop it/), 1]);
  });

  it('have seeded it once', async () => {
    const [lines, others] = await Promise.all(nodes.map(({ server }) => server.exported()));
    const versions = lines?.filter(({ type }) => type === 'version');
    expect(versions?.length).toBeGreaterThan(7);
    expect(others?.filter(({ type }) => type === 'version')).toEqual(versions);
    expect((await nodes[1].server.unsay('verify', '--json')).code).toBe(0);
  });

  it.each(ERAS)('tell a subscriber of one what is written on the other, in the %s era', async (era) => {
    const [writing, telling] = nodes;
    const token = await writing.server.mint('care.read.user', { subject: 'ray' });
    const stream = await followRaw(era, telling.url, token, [WOUND]);
    open.push(stream);
    for (let round = 0; round < 3; round += 1) {
      const words = `Said on the other server in the ${era} era, ${round}.`;
      await publish(writing.url, WOUND, words);
      expect(await stream.next()).toContain(`"uri":"${WOUND}"`);
      expect(await wordsAt(telling, token)).toBe(words);
    }
  });

  it('answer a request once, wherever it is sent again', async () => {
    const body = writeBody(WOUND, 'Once, on whichever server.');
    const keyed = (at: number) => {
      const { headers } = signed(body, { at });
      return { body, headers: { ...headers, 'idempotency-key': 'once' } };
    };
    const now = Date.now();
    const first = await send(nodes[0].url, keyed(now));
    const again = await send(nodes[1].url, keyed(now + 1000));
    const replayed = await send(nodes[1].url, keyed(now));
    expect([first.status, again.status, replayed.status]).toEqual([201, 201, 401]);
    expect(await again.json()).toMatchObject({
      version: ((await first.json()) as { version: number }).version,
    });
  });

  it.each(ERAS)('end a stream of one when its token is revoked on the other, in the %s era', async (era) => {
    const [revoking, telling] = nodes;
    const token = await telling.server.mint('care.read.user', { subject: 'ray', sub: `gone-${era}` });
    const stream = await followRaw(era, telling.url, token, [WOUND]);
    open.push(stream);
    await revoking.server.operate('token-revoke', { token });
    await stream.over;
    expect(
      (await send(telling.url, signed(writeBody(WOUND, `Still served in the ${era} era.`)))).status,
    ).toBe(201);
  });

  it('carry a session of the older era from one to the other, and replay there what it missed', async () => {
    const [first, second] = nodes;
    const token = await first.server.mint('care.read.user', { subject: 'ray' });
    const session = await openSession(first.url, token);
    await session.send('resources/subscribe', { uri: WOUND });
    const stream = await session.stream();
    await publish(first.url, WOUND, 'Before the session moves.');
    const id = /^id: (.+)$/m.exec((await stream.next()) ?? '')?.[1];
    expect(id).toMatch(/./);
    stream.close();
    for (const words of ['Missed, one.', 'Missed, two.']) await publish(first.url, WOUND, words);
    const moved = session.at(second.url);
    const resumed = await moved.resume(id);
    open.push(resumed);
    for (const _missed of [1, 2]) expect(await resumed.next()).toContain(`"uri":"${WOUND}"`);
    // What it asks for there counts where it came from.
    await moved.send('resources/subscribe', { uri: EXERCISES });
    await publish(first.url, EXERCISES, 'After the session has moved.');
    const last = await resumed.next();
    expect(last).toContain(`"uri":"${EXERCISES}"`);
    resumed.close();
    const back = await session.resume(/^id: (.+)$/m.exec(last ?? '')?.[1]);
    open.push(back);
    await publish(second.url, EXERCISES, 'After it has moved back.');
    expect(await back.next()).toContain(`"uri":"${EXERCISES}"`);
    const foreign = await second.server.mint('care.read.user', { subject: 'ray', sub: 'another' });
    expect((await moved.send('ping', {}, foreign)).status).toBe(404);
  });

  it.each(ERAS)(
    'end a stream of one when its person is narrowed on the other, in the %s era',
    async (era) => {
      const [narrowing, telling] = nodes;
      const sub = `narrowed-${era}`;
      const rights = { sub, subjects: ['ray'], scopes: ['care.read.user'] };
      await narrowing.server.operate('subject-grant', rights);
      const token = await telling.server.mint('care.read.user', { subject: 'ray', sub });
      const stream = await followRaw(era, telling.url, token, [WOUND]);
      open.push(stream);
      await narrowing.server.operate('subject-revoke', { sub, subjects: ['ray'], scopes: [] });
      expect(await stream.over).toBe('ended');
      await expect(wordsAt(telling, token)).rejects.toThrow();
    },
  );

  it('go on without one that was killed, which lost nothing', async () => {
    const words = 'Said right before the end.';
    await publish(nodes[0].url, WOUND, words);
    await nodes[0].server.kill();
    const token = await nodes[1].server.mint('care.read.user', { subject: 'ray' });
    expect(await wordsAt(nodes[1], token)).toBe(words);
  });
});
