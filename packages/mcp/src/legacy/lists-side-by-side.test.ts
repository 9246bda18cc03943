import { afterEach, expect, it } from 'vitest';
import { openSession } from '../fixtures/legacy-session.ts';
import { send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

it('tells a session of a changed list that was served one while another request for it was refused', async () => {
  served = await serveNotes();
  const session = await openSession(served.url, 'guest', '2025-03-26');
  const list = (id: number, params: object): object => ({
    jsonrpc: '2.0',
    id,
    method: 'resources/list',
    params,
  });
  const { body } = await send(served.url, {
    headers: { 'mcp-session-id': session.id },
    body: JSON.stringify([list(1, { cursor: 'forged' }), list(2, {})]),
  });
  expect(body).toContain('open://apple');
  const stream = await session.stream();
  await stream.next();
  served.hub.resourceListChanged(() => true);
  await served.endpoint.closeAll();
  expect(await stream.rest()).toHaveLength(1);
});
