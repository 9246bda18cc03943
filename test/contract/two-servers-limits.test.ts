import { type TemporarySchema, temporarySchema } from '@unsay/storage/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';

const WOUND = 'care://ray/wound';
const WRITES = 6;
const FAILURES = 4;

let schema: TemporarySchema;
let servers: readonly RunningServer[];
let urls: readonly string[];
const folders: string[] = [];

beforeAll(async () => {
  schema = await temporarySchema();
  const ports = await Promise.all([freePort(), freePort()]);
  urls = ports.map((port) => `http://127.0.0.1:${port}`);
  servers = await Promise.all(
    ports.map((port) => {
      const folder = temporaryFolder();
      folders.push(folder);
      return startServer(folder, {
        UNSAY_PORT: String(port),
        UNSAY_DATABASE_URL: schema.url,
        UNSAY_MASTER_KEY: 'c0'.repeat(32),
        UNSAY_PUBLIC_URL: 'http://localhost:9',
        UNSAY_WRITES_PER_MINUTE: String(WRITES),
        UNSAY_FAILED_AUTH_PER_MINUTE: String(FAILURES),
      });
    }),
  );
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  for (const folder of folders) removeFolder(folder);
  await schema.close();
});

const at = (n: number): string => urls[n % 2] ?? '';

it('writes are limited by both servers together, and one principal’s limit is no other’s', async () => {
  const answers = await Promise.all(
    Array.from({ length: WRITES + 4 }, (_, n) => send(at(n), signed(writeBody(WOUND, `Sentence ${n}.`)))),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(WRITES);
  expect(refused).toHaveLength(4);
  for (const answer of refused) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  }
  const token = await servers[0]?.mint('care.read.user care.read.assistant care.write', { sub: 'another' });
  const other = await fetch(`${at(1)}/write`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: writeBody(WOUND, 'By another.'),
  });
  expect(other.status).toBe(201);
});

it('credentials that fail are limited by both servers together, and good ones by neither', async () => {
  const read = (n: number, token: string): Promise<Response> =>
    post(
      at(n),
      modernMessage('resources/read', { uri: WOUND }),
      modernHeaders(token, 'resources/read', WOUND),
    );
  const good = (await servers[1]?.mint('care.read.user')) ?? '';
  const answers = await Promise.all(Array.from({ length: FAILURES + 3 }, (_, n) => read(n, `nonsense-${n}`)));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([...Array(FAILURES).fill(401), 429, 429, 429]);
  for (const n of [0, 1]) expect((await read(n, good)).status).toBe(200);
});
