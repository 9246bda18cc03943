import { expect, it } from 'vitest';
import { networkAsk } from './network-ask.ts';

function answering(status: number, body: unknown, sent: RequestInit[] = []): typeof fetch {
  return async (_input, init) => {
    sent.push(init ?? {});
    const headers = { date: 'Tue, 01 Dec 2026 09:00:05 GMT' };
    return new Response(JSON.stringify(body), { status, headers });
  };
}

const NOW = Date.parse('2026-12-01T09:00:00Z');

it('asks with one request that needs no session', async () => {
  const sent: RequestInit[] = [];
  const network = networkAsk('token', answering(200, { result: { contents: [] } }, sent), () => NOW);
  expect(await network.ask('resources/read', { uri: 'care://ray/wound' })).toEqual({ contents: [] });
  const [init] = sent;
  expect(init?.headers).toMatchObject({
    authorization: 'Bearer token',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'resources/read',
    'mcp-name': 'care://ray/wound',
  });
  const { id, method, params } = JSON.parse(String(init?.body));
  expect([id, method, params.uri]).toEqual([1, 'resources/read', 'care://ray/wound']);
  expect(params._meta['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28');
  expect(init?.cache).toBe('no-store');
  expect(network.clockAhead()).toBe(5_000);
  expect(network.unauthorised()).toBe(false);
});

it('tells a refused token from an answer that is an error', async () => {
  const refused = networkAsk('token', answering(401, { code: 'unsigned' }), () => NOW);
  await expect(refused.ask('server/discover', {})).rejects.toMatchObject({ code: null });
  expect(refused.unauthorised()).toBe(true);
  const absent = networkAsk('token', answering(200, { error: { code: -32602, message: 'no' } }), () => NOW);
  await expect(absent.ask('resources/read', { uri: 'x' })).rejects.toMatchObject({ code: -32602 });
  expect(absent.unauthorised()).toBe(false);
});
