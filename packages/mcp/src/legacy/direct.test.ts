import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotesApplication } from '../fixtures/notes-application.ts';
import { methodTable } from '../methods/method-table.ts';
import { capabilitiesOf } from '../server-object.ts';
import { legacyAnswer, plainRead } from './direct.ts';
import { legacyExchange } from './exchange.ts';

const application = new NotesApplication({
  'open://apple': 'red',
  'open://pear': 'grün',
  'staff://apple': 'x',
});
const methods = methodTable(application, () => undefined);
const guest = { name: 'bob', staff: false };

async function sdkAnswer(headers: Record<string, string>, message: unknown) {
  const handlers = [...methods].map(
    ([name, method]) => [name, (params: Parameters<typeof method>[1]) => method(guest, params)] as const,
  );
  const req = { headers: { 'content-type': 'application/json', ...headers } } as unknown as IncomingMessage;
  const { response } = await legacyExchange(req, message, application, capabilitiesOf(application), handlers);
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
}

async function directAnswer(headers: Record<string, string>, message: unknown) {
  const read = plainRead(headers, message);
  const method = methods.get('resources/read');
  if (read === undefined || method === undefined) return undefined;
  const body = legacyAnswer(read.id, await method(guest, read.params));
  return { status: 200, type: 'application/json', body };
}

const accept = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json, text/event-stream') },
  fc.constantFrom('application/json', 'text/event-stream', '*/*', ''),
);
const version = fc.constantFrom(undefined, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', 'x');
const uri = fc.constantFrom<unknown>(
  'open://apple',
  'open://pear',
  'staff://apple',
  'OPEN://apple',
  'é',
  '',
  7,
  null,
);
const message = fc.record({
  jsonrpc: fc.oneof({ weight: 6, arbitrary: fc.constant('2.0') }, fc.constantFrom('1.0', undefined)),
  id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom<unknown>(1.5, null, true, undefined, -0, 1e300)),
  method: fc.oneof({ weight: 6, arbitrary: fc.constant('resources/read') }, fc.constantFrom('ping', 'x')),
  params: fc.oneof(
    { weight: 6, arbitrary: fc.record({ uri }) },
    fc.constantFrom<unknown>(undefined, [], {}, { uri: 'open://apple', _meta: {} }, { uri: 'open://broken' }),
  ),
});
const extra = fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, fc.constant({ trace: 1 }));

it('gives the answer that the SDK gives, byte for byte, wherever it answers at all', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(accept, version, message, extra, async (accepts, revision, made, more) => {
      const headers = {
        accept: accepts,
        ...(revision !== undefined && { 'mcp-protocol-version': revision }),
      };
      const sent: unknown = JSON.parse(JSON.stringify({ ...made, ...more }));
      const direct = await directAnswer(headers, sent);
      if (direct === undefined) return;
      answered += 1;
      expect(direct).toEqual(await sdkAnswer(headers, sent));
    }),
    { numRuns: 1500 },
  );
  expect(answered).toBeGreaterThan(60);
});

it.each(['open://apple', 'staff://apple', 'open://none'])('answers a plain read of %s', async (uri) => {
  const headers = { accept: 'application/json, text/event-stream' };
  const plain = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
  expect(await directAnswer(headers, plain)).toEqual(await sdkAnswer(headers, plain));
});
