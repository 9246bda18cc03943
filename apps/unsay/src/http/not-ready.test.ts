import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpServer } from './server.ts';

// A server has no context before it is ready, and again from the moment it is told to stop.
const server = createHttpServer({ now: () => Date.parse('2026-12-01T09:00:00Z') }, () => null);
let url = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

it.each(['/readyz', '/healthz', '/mcp', '/write', '/', '/nothing'])('%s is not ready', async (path) => {
  const answer = await fetch(url + path);
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'not_ready' }]);
});
