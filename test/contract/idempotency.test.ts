import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { type SignedWrite, send, signed, writeBody } from '../harness/signed-write.ts';

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

const keyed = (write: SignedWrite, key: string): SignedWrite => {
  return { body: write.body, headers: { ...write.headers, 'idempotency-key': key } };
};
// A second later, so that the signature is another one.
const retry = (body: string, key: string, seconds = 1) =>
  keyed(signed(body, { at: Date.now() + seconds * 1000 }), key);

it('answers a retry with a new signature as it answered the first, also after kill -9', async () => {
  const body = writeBody('care://ray/retried', 'said once');
  const first = await send(server.url, keyed(signed(body), 'key-1'));
  const answer = await first.json();
  expect(first.status).toBe(201);
  const second = await send(server.url, retry(body, 'key-1'));
  expect([second.status, await second.json()]).toEqual([201, answer]);
  await server.kill();
  server = await startServer(data);
  const third = await send(server.url, retry(body, 'key-1', 2));
  expect([third.status, await third.json()]).toEqual([201, answer]);
  expect((await send(server.url, retry(body, 'key-2', 3))).status).toBe(201);
});

it('refuses another body under the same key, and another condition', async () => {
  const uri = 'care://ray/mismatched';
  expect((await send(server.url, keyed(signed(writeBody(uri, 'a')), 'key-3'))).status).toBe(201);
  const other = await send(server.url, retry(writeBody(uri, 'b'), 'key-3'));
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'idempotency_mismatch' }]);
  const ifMatch = `"${'0'.repeat(64)}"`;
  const conditional = signed(writeBody(uri, 'a'), { ifMatch });
  const answer = await send(server.url, keyed(conditional, 'key-3'));
  expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'idempotency_mismatch' }]);
});

it('keeps the keys of different principals apart', async () => {
  const body = writeBody('care://ray/shared-key', 'said');
  const token = await server.mint('care.write care.read.user care.read.assistant');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const mine = await send(server.url, keyed(signed(body), 'key-4'));
  const theirs = await send(server.url, keyed({ body, headers }, 'key-4'));
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(await theirs.json()).toMatchObject({ version: 2 });
});

it('refuses a key that is no key', async () => {
  const answer = await send(server.url, keyed(signed(writeBody('care://ray/keyless', 'x')), 'two words'));
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'malformed' }]);
});
