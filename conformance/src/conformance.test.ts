import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { conformance } from './conformance.ts';
import { textOf } from './report.ts';
import { type ServedFixtures, serveFixtures } from './served-fixtures.ts';
import { type Era, runSuite } from './suite.ts';
import { judge } from './verdict.ts';

const started: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop();
});

it('passes every required server scenario of both eras, directly and through the SDK', async () => {
  const report = await conformance();

  expect(report.problems).toEqual([]);
  expect(textOf(report)).toMatch(/\n2025-11-25 30\/30, 2026-07-28 37\/37, baseline 0\n$/);
});

/** An answer of the endpoint, on its way to the suite. */
interface Answer {
  status: number;
  body: string;
}

/** An endpoint with a fault: a proxy before the sound one that changes its answers. */
async function faulty(change: (answer: Answer) => void): Promise<string> {
  const sound: ServedFixtures = await serveFixtures({ direct: true });
  started.push(sound);
  const proxy: Server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { host: _host, connection: _connection, ...headers } = req.headers;
    const response = await fetch(sound.url, {
      method: req.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const answer = { status: response.status, body: await response.text() };
    change(answer);
    const session = response.headers.get('mcp-session-id');
    res.writeHead(answer.status, {
      'content-type': response.headers.get('content-type') ?? 'application/json',
      ...(session !== null && { 'mcp-session-id': session }),
    });
    res.end(answer.body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  started.push({ stop: () => new Promise((resolve) => proxy.close(resolve)) });
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}

it.each<[fault: string, era: Era, scenario: string, change: (answer: Answer) => void]>([
  [
    'the old code for a missing resource',
    '2026-07-28',
    'sep-2164-resource-not-found',
    (answer) => {
      answer.body = answer.body.replace('"code":-32602', '"code":-32002');
    },
  ],
  [
    'a result that may be kept for ever by anybody',
    '2026-07-28',
    'caching',
    (answer) => {
      answer.body = answer.body.replace('"cacheScope":"private"', '"cacheScope":"world"');
    },
  ],
  [
    'an unknown method that is a bad request',
    '2026-07-28',
    'server-stateless',
    (answer) => {
      if (answer.status === 404) answer.status = 400;
    },
  ],
  [
    'a session that goes on after its end',
    '2025-11-25',
    'server-session-lifecycle',
    (answer) => {
      if (answer.status === 404) answer.status = 200;
    },
  ],
  [
    'a log level that is refused',
    '2025-11-25',
    'logging-set-level',
    (answer) => {
      answer.body = answer.body.replace('"result":{}', '"error":{"code":-32601,"message":"no"}');
    },
  ],
  [
    'a skill whose digest is not one',
    '2025-11-25',
    'sep-2640-skills-enumeration',
    (answer) => {
      answer.body = answer.body.replace('"digest":"sha256:', '"digest":"md5:');
    },
  ],
  [
    'a skill that may be kept for as long as anybody likes',
    '2026-07-28',
    'sep-2640-skills-enumeration',
    (answer) => {
      if (answer.body.includes('"skills":')) answer.body = answer.body.replace('"ttlMs":0,', '');
    },
  ],
  [
    'a skill file that is read as another type',
    '2026-07-28',
    'sep-2640-skills-manifest',
    (answer) => {
      answer.body = answer.body.replaceAll('text/markdown', 'text/plain');
    },
  ],
])('does not pass an endpoint whose fault is %s (%s %s)', async (_fault, era, scenario, change) => {
  const ending = async (url: string) => judge(await runSuite(url, era, scenario), [scenario], [])[0]?.ending;

  expect(await ending(await faulty(() => undefined))).toBe('passed');
  expect(await ending(await faulty(change))).toBe('failed');
});
