import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernHeaders, modernMessage, openSession, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const data = temporaryFolder();
const clocks = temporaryFolder();
const clock = join(clocks, 'clock');
let server: RunningServer;

beforeAll(async () => {
  writeFileSync(clock, new Date().toISOString());
  server = await startServer(data, { UNSAY_CLOCK: `file:${clock}` });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
  removeFolder(clocks);
});

/** Sends a head as it is and gives the answer. */
function ask(...head: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write([...head, 'connection: close', '', ''].join('\r\n'));
  return text(socket);
}

describe('a Host that is more than a name and a port', () => {
  it.each([
    '127.0.0.1@localhost',
    'evil.example@localhost',
    'localhost:1@localhost',
    'localhost/x',
    '127.0.0.1\\.evil.example',
    'localhost?x',
    'localhost#x',
    '2130706433',
    'localhost:',
    'localhost:123456',
    'localhost, evil.example',
  ])('is refused: %s', async (host) => {
    const answer = await ask('GET /device HTTP/1.1', `host: ${host}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain('"origin_refused"');
  });

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1:8787'])('is not what %s is', async (host) => {
    expect(await ask('GET /healthz HTTP/1.1', `host: ${host}`)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a request target that names a host', () => {
  it.each(['//evil.example/healthz', '/\\evil.example/healthz', '/\\/evil.example/healthz'])(
    'is refused: %s',
    async (target) => {
      const answer = await ask(`GET ${target} HTTP/1.1`, 'host: 127.0.0.1');
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).not.toMatch(/^location:/im);
    },
  );
});

describe('what a writer is told of who listens', () => {
  it('leaves out a stream that is open under a narrower token than the one that subscribed', async () => {
    const uri = 'care-internal://ray/risk';
    const holder = { sub: 'one person', client: 'one client' };
    const wide = await server.mint('care.read.user care.read.assistant', holder);
    const session = await openSession(server.url, wide);
    await session.send('resources/subscribe', { uri });
    const stream = await session.stream(await server.mint('care.read.user', holder));

    expect((await publish(server.url, uri, 'Falls more often at night.')).subscribers).toBe(0);
    stream.close();
  });
});

describe('one request that is meant to bring the server down', () => {
  it('nests its capabilities deeper than the stack, and is answered like one that does not', async () => {
    const token = await server.mint('care.read.user');
    const uri = 'care://ray/weight_bearing';
    const message = JSON.stringify(modernMessage('resources/read', { uri }));
    const deep = message.replace(
      '"io.modelcontextprotocol/clientCapabilities":{}',
      `"io.modelcontextprotocol/clientCapabilities":{"x":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
    );
    expect(deep.length).toBeGreaterThan(message.length);
    const answer = await post(server.url, deep, modernHeaders(token, 'resources/read', uri));
    expect(answer.status).toBeLessThan(500);
    expect(server.faults()).toBe('');
  });

  it('comes while the file of the clock is away', async () => {
    rmSync(clock);
    expect(await ask('GET /healthz HTTP/1.1', 'host: localhost')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('GET /readyz HTTP/1.1', 'host: localhost')).toMatch(/^HTTP\/1\.1 200 /);
  });
});
