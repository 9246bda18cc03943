import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';

const data = temporaryFolder();
const clock = new ClockFile(Date.UTC(2030, 5, 15, 10));
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data, { UNSAY_CLOCK: clock.setting });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

it.each([
  [-301, 401],
  [-300, 201],
  [300, 201],
  [301, 401],
])('a signature made %d seconds from the server’s time is answered %d', async (seconds, status) => {
  const body = writeBody('care://ray/skew', `said at ${seconds}`);
  expect((await send(server.url, signed(body, { at: clock.now + seconds * 1000 }))).status).toBe(status);
});
