import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { publish, send, signed, writeBody } from '../harness/signed-write.ts';

const folder = temporaryFolder();
const file = join(folder, 'audit.log');
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(join(folder, 'data'), { UNSAY_AUDIT_LOG: file });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

it('a copy of the audit has a line for every attempt, and is its owner’s alone', async () => {
  await publish(server.url, 'care://ray/wound', 'Published.');
  expect((await send(server.url, signed(writeBody('care://ray/risk', 'Refused once.')))).status).toBe(409);
  const rows = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toEqual([
    {
      at: expect.stringMatching(/Z$/),
      actor: 'system',
      uri: 'care://ray/wound',
      outcome: 'accepted',
      reason: null,
      via: 'hmac',
      count: 1,
    },
    expect.objectContaining({ uri: 'care://ray/risk', outcome: 'refused', reason: 'store_rejected' }),
  ]);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
});

it('a copy that cannot be written makes no writer believe that nothing was published', async () => {
  rmSync(file);
  mkdirSync(file);
  expect(await publish(server.url, 'care://ray/wound', 'Published all the same.')).toMatchObject({
    version: 3,
  });
  expect((await send(server.url, signed(writeBody('care://ray/risk', 'Refused.')))).status).toBe(409);
  const { rows } = (await server.operate('audit')) as { rows: { via: string }[] };
  expect(rows.filter(({ via }) => via === 'hmac')).toHaveLength(4);
  expect(server.faults()).toMatch(/^\{"at":"[^"]+","event":"fault",.*"code":"EISDIR".*audit\.log/);
});
