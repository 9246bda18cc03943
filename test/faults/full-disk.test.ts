import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { READ_BOTH } from '../contract/demonstration.ts';
import { connect } from '../harness/era-client.ts';
import { followRaw } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish, type SignedWrite, send, signed, writeBody } from '../harness/signed-write.ts';
import { SmallDisk } from '../harness/small-disk.ts';
import { startedBy } from '../harness/wrapped-start.ts';

const URI = 'care://ray/wound';
const LONG = 'A long sentence, so that no page has room for it. '.repeat(100);

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function folder(): string {
  const path = temporaryFolder();
  cleanups.push(() => removeFolder(path));
  return path;
}

async function start(data: string, settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const server = await startServer(data, settings);
  cleanups.push(() => server.kill());
  return server;
}

function keyed(write: SignedWrite, key: string): SignedWrite {
  return { body: write.body, headers: { ...write.headers, 'idempotency-key': key } };
}

/** Writes until there is no room, and gives the write that did not fit. */
async function writeUntilFull(url: string, what = 'now'): Promise<SignedWrite> {
  for (let count = 0; count < 400; count += 1) {
    const write = keyed(signed(writeBody(URI, `${what}, ${count}. ${LONG}`)), `key-${what}-${count}`);
    const answer = await send(url, write);
    if (answer.status !== 201) {
      await expectNoRoom(answer);
      return write;
    }
  }
  throw new Error('the disk never filled');
}

/** The answer says what is wrong and what to do, and nothing of the inside. */
async function expectNoRoom(answer: Response): Promise<void> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
  const problem = (await answer.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({
    code: 'not_ready',
    next: expect.stringMatching(/free some space.*same request again/),
  });
  expect(JSON.stringify(problem)).not.toMatch(/unsay\.db|\/tmp\/|SQLITE|at \w+ \(/);
}

/** Reads, lists, replays and streams work as ever; gives the words of the fact. */
async function wordsOf(server: RunningServer, token: string): Promise<string> {
  const client = await connect('modern', server.url, token);
  const { contents } = (await client.call('resources/read', { uri: URI })) as {
    contents: { text: string }[];
  };
  expect((await client.call('resources/list')).resources).not.toEqual([]);
  await client.close();
  const verified = await fetch(`${server.url}/verify`, { headers: { authorization: `Bearer ${token}` } });
  const { chains } = (await verified.json()) as { chains: { intact: boolean }[] };
  expect(chains.filter(({ intact }) => !intact)).toEqual([]);
  return contents[0]?.text ?? '';
}

async function readiness(server: RunningServer): Promise<[number, unknown]> {
  const answer = await fetch(`${server.url}/readyz`);
  return [answer.status, ((await answer.json()) as { code?: unknown }).code];
}

/** A look at the store counts for a second. */
async function isReadyAgain(server: RunningServer): Promise<void> {
  for (let text = ''; text !== 'ok'; ) text = await (await fetch(`${server.url}/readyz`)).text();
}

async function expectWhole(server: RunningServer): Promise<void> {
  expect(await server.operate('verify')).toMatchObject({ intact: true, broken: [] });
  const { rows, intact } = (await server.operate('audit')) as { rows: Row[]; intact: boolean };
  expect(intact).toBe(true);
  const { versions } = (await server.operate('history', { uri: URI })) as { versions: unknown[] };
  const accepted = rows.filter(({ uri, outcome, reason }) => {
    return uri === URI && outcome === 'accepted' && reason === null;
  });
  expect(accepted).toHaveLength(versions.length);
}

interface Row {
  readonly uri: string | null;
  readonly outcome: string;
  readonly reason: string | null;
}

/** Every line that a server prints of a store that fails is one sentence. */
function expectSentences(server: RunningServer): void {
  const lines = server.faults().split('\n').filter(Boolean);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const { message, stack } = JSON.parse(line) as { message: string; stack?: unknown };
    expect(message).toMatch(/^(There is no room|The operating system) .*\.$/);
    expect(stack).toBeUndefined();
  }
}

const canMount = SmallDisk.isPossible();
const skipped = canMount ? '' : ' (skipped: this user may not mount a file system)';

describe(`a disk without room${skipped}`, () => {
  it.runIf(canMount)('refuses what does not fit, serves all else, and needs no new start', async () => {
    const disk = new SmallDisk();
    cleanups.push(() => disk.remove());
    expect(disk.mount(4096)).toBe(true);
    const data = join(disk.path, 'data');
    const server = await start(data);
    const token = await server.mint(READ_BOTH);
    const before = await publish(server.url, URI, 'Keep it dry.');
    const stream = await followRaw('modern', server.url, token, [URI]);
    disk.fill();

    const refused = await writeUntilFull(server.url);
    await expectNoRoom(await send(server.url, refused));
    // An attempt that cannot be recorded is not judged, whoever makes it.
    await expectNoRoom(await fetch(`${server.url}/write`, { method: 'POST', body: '{}' }));
    const byHand = await server.unsay('write', URI, '--value', LONG, '--author', 'me');
    expect([byHand.code, byHand.stdout]).toEqual([1, '']);
    expect(byHand.stderr).toMatch(/^There is no room left for the store [^\n]*\n$/);
    const versions = ((await server.operate('history', { uri: URI })) as { versions: unknown[] }).versions
      .length;
    expect(await wordsOf(server, token)).toContain(versions === before.version ? 'Keep it dry.' : LONG);
    expectSentences(server);
    expect(await readiness(server)).toEqual([503, 'not_ready']);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

    disk.free();
    await isReadyAgain(server);
    const accepted = await send(server.url, refused);
    const published = (await accepted.json()) as { version: number };
    expect([accepted.status, published.version]).toEqual([201, versions + 1]);
    const again = signed(refused.body, { at: Date.now() + 1000 });
    const retried = await send(server.url, keyed(again, refused.headers['idempotency-key'] ?? ''));
    expect([retried.status, await retried.json()]).toMatchObject([201, { version: published.version }]);
    expect((await send(server.url, refused)).status).toBe(401);
    const updated = { method: 'notifications/resources/updated', params: { uri: URI } };
    for (let version = before.version; version < published.version; version += 1)
      expect(await stream.message()).toMatchObject(updated);
    stream.close();
    await expectWhole(server);

    disk.fill();
    const unwritten = await writeUntilFull(server.url, 'later');
    const { versions: answered } = (await server.operate('history', { uri: URI })) as { versions: unknown[] };
    expect(await server.stop()).toBe(0);
    disk.free();
    const next = await start(data, { UNSAY_PORT: new URL(server.url).port });
    await expectWhole(next);
    const last = await send(next.url, unwritten);
    expect([last.status, await last.json()]).toMatchObject([201, { version: answered.length + 1 }]);
  });

  it.runIf(canMount)('keeps every line of the audit file whole, and goes on with it', async () => {
    const disk = new SmallDisk();
    cleanups.push(() => disk.remove());
    expect(disk.mount(64)).toBe(true);
    const file = join(disk.path, 'audit.log');
    const server = await start(folder(), { UNSAY_AUDIT_LOG: file });
    // The first row takes a block, and a later one does not fit into what is left of it.
    await publish(server.url, URI, 'There is room.');
    disk.fill();
    let accepted = 1;
    for (; !server.faults().includes('ENOSPC'); accepted += 1) await publish(server.url, URI, `${accepted}.`);
    disk.free();
    await publish(server.url, URI, 'There is room again.');
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.length).toBeGreaterThanOrEqual(accepted);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ uri: URI, outcome: 'accepted' });
    await expectWhole(server);
  });
});

describe('a file that may not grow any more', () => {
  it('refuses what does not fit and lives, and has lost nothing at the next start', async () => {
    const data = folder();
    // In blocks of 512 bytes. A start needs less than 1200 of them.
    const limited = startedBy('ulimit -f 1400; exec "$@"', folder());
    const server = await start(data, limited);
    const token = await server.mint(READ_BOTH);
    const refused = await writeUntilFull(server.url);
    const { versions } = (await server.operate('history', { uri: URI })) as { versions: unknown[] };
    expect(versions.length).toBeGreaterThan(2);
    expect(await wordsOf(server, token)).toContain(LONG);
    expectSentences(server);
    await expectWhole(server);
    expect(await server.stop()).toBe(0);

    const next = await start(data, { UNSAY_PORT: new URL(server.url).port });
    await expectWhole(next);
    const accepted = await send(next.url, refused);
    expect([accepted.status, await accepted.json()]).toMatchObject([201, { version: versions.length + 1 }]);
  });
});

describe('a log that cannot be written', () => {
  it('answers a write as it ended when the audit file has no room, and tells the operator', async () => {
    const server = await start(folder(), { UNSAY_AUDIT_LOG: '/dev/full' });
    await publish(server.url, URI, 'Keep it dry.');
    expect((await fetch(`${server.url}/write`, { method: 'POST', body: '{}' })).status).toBe(415);
    expect(server.faults()).toContain('ENOSPC');
    await expectWhole(server);
  });

  it('goes on serving when what it prints has no room either', async () => {
    const settings = { UNSAY_AUDIT_LOG: '/dev/full', ...startedBy('exec "$@" 2>/dev/full', folder()) };
    const server = await start(folder(), settings);
    const versions: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      versions.push((await publish(server.url, URI, `Said ${count}.`)).version);
    }
    expect(versions).toEqual([2, 3, 4]);
    await expectWhole(server);
  });
});
