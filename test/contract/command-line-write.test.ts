import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERAS } from '../harness/era-client.ts';
import { followRaw } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';

const URI = 'care://ray/wound';
const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

it.each(ERAS)('what unsay write publishes is announced on an open %s stream', async (era) => {
  const stream = await followRaw(era, server.url, await server.mint('care.read.user'), [URI]);
  const written = await server.unsay('write', URI, '--value', `Said to ${era}.`, '--author', 'x');
  expect([written.code, written.stderr]).toEqual([0, '']);
  expect(await stream.message()).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: URI },
  });
  stream.close();
});

it('unsay write with the hash of the head goes through once, and then the head has moved', async () => {
  const { versionHash, version } = await publish(server.url, URI, 'The head.');
  const write = (value: string) =>
    server.unsay('write', URI, '--value', value, '--author', 'x', '--if-match', versionHash, '--json');
  const first = await write('The next.');
  expect([first.code, first.stderr]).toEqual([0, '']);
  const next = JSON.parse(first.stdout) as { versionHash: string };
  expect(next).toMatchObject({ uri: URI, version: version + 1, prevHash: versionHash });
  const second = await write('Never.');
  expect(second.code).toBe(1);
  expect(second.stdout + second.stderr).toContain(next.versionHash);
  expect((await server.unsay('read', URI)).stdout).toContain('The next.');
});
