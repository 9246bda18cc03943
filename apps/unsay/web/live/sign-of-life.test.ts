import { expect, test } from 'vitest';
import { SignOfLife } from './sign-of-life.ts';

const listen = { method: 'POST', headers: { 'Mcp-Method': 'subscriptions/listen' } };
const read = { method: 'POST', headers: { 'Mcp-Method': 'resources/read' } };

test('every byte of the listen stream is a sign of life, a heartbeat comment too', async () => {
  let now = 1_000;
  const stream = new TransformStream<Uint8Array, Uint8Array>();
  const writer = stream.writable.getWriter();
  const life = new SignOfLife(
    async () => new Response(stream.readable),
    () => now,
  );
  const response = await life.fetch('/mcp', listen);
  const bytes = response.body?.getReader();
  now = 6_000;
  void writer.write(new TextEncoder().encode(': heartbeat\n\n'));
  expect(new TextDecoder().decode((await bytes?.read())?.value)).toBe(': heartbeat\n\n');
  expect(life.last).toBe(6_000);
});

test('an answer to another request is no sign that the stream is alive', async () => {
  let now = 1_000;
  const life = new SignOfLife(
    async () => new Response('{}'),
    () => now,
  );
  now = 9_000;
  await (await life.fetch('/mcp', read)).text();
  expect(life.last).toBe(1_000);
});

test('a 401 on any request is remembered', async () => {
  const life = new SignOfLife(
    async () => new Response('', { status: 401 }),
    () => 0,
  );
  await life.fetch('/mcp', read);
  expect(life.unauthorised).toBe(true);
});

test('no answer at all is told from a refusal', async () => {
  const answers = [
    async () => Promise.reject(new TypeError('refused')),
    async () => new Response('', { status: 500 }),
  ];
  const life = new SignOfLife(
    () => answers.shift()?.() ?? Promise.reject(new Error('none left')),
    () => 0,
  );
  await expect(life.fetch('/mcp', read)).rejects.toThrow('refused');
  expect(life.unanswered).toBe(true);
  await life.fetch('/mcp', read);
  expect(life.unanswered).toBe(false);
});

test('ages can be told by the clock of the server', async () => {
  const date = 'Mon, 30 Nov 2026 12:00:00 GMT';
  const life = new SignOfLife(
    async () => new Response('', { headers: { date } }),
    () => Date.parse(date) - 5_000,
  );
  await life.fetch('/mcp', read);
  expect(life.clockAhead).toBe(5_000);
});
