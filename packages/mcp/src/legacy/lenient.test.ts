import { afterEach, describe, expect, it } from 'vitest';
import { initializeMessage, openSession } from '../fixtures/legacy-session.ts';
import { send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

const read = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'resources/read',
  params: { uri: 'open://apple' },
});

it.each(['*/*', 'text/html, */*;q=0.5'])('opens a session for a client that accepts %s', async (accept) => {
  served = await serveNotes();
  const opened = await send(served.url, { body: initializeMessage(), headers: { accept } });
  expect(opened.status).toBe(200);
  expect(opened.body).toContain('"protocolVersion":"2025-11-25"');
});

it('refuses one that accepts neither form of an answer', async () => {
  served = await serveNotes();
  const opened = await send(served.url, { body: initializeMessage(), headers: { accept: 'text/html' } });
  expect(opened.status).toBe(406);
});

describe('a client that names the newer revision in a header of its session', () => {
  const headers = (id: string) => ({ 'mcp-session-id': id, 'mcp-protocol-version': '2026-07-28' });

  it('goes on in the revision of its session, over POST and over its stream', async () => {
    served = await serveNotes();
    const session = await openSession(served.url);
    const answer = await send(served.url, { body: read, headers: headers(session.id) });
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"text":"red"')]);
    expect(answer.body).not.toContain('resultType');
    const stream = await session.stream({ headers: { 'mcp-protocol-version': '2026-07-28' } });
    expect(stream.res.statusCode).toBe(200);
  });

  it('is told to open a new one when that is not its own', async () => {
    served = await serveNotes();
    const answer = await send(served.url, { body: read, headers: headers('nobody-s') });
    expect(answer.status).toBe(404);
  });

  it('is of the newer revision when its message says so too', async () => {
    served = await serveNotes();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const message = { ...JSON.parse(read), params: { uri: 'open://apple', _meta: meta } };
    const answer = await send(served.url, {
      body: JSON.stringify(message),
      headers: { ...headers('whatever'), 'mcp-method': 'resources/read', 'mcp-name': 'open://apple' },
    });
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"resultType":"complete"')]);
  });
});
