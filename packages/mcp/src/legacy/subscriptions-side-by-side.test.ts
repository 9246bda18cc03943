import { afterEach, expect, it } from 'vitest';
import { openSession } from '../fixtures/legacy-session.ts';
import { send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

it('holds the limit of subscriptions when many are asked for at once', async () => {
  served = await serveNotes({ limits: { urisPerStream: 1 } });
  const session = await openSession(served.url, 'guest', '2025-03-26');
  const messages = ['apple', 'banana', 'cherry'].map((note, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'resources/subscribe',
    params: { uri: `open://${note}` },
  }));
  const { body } = await send(served.url, {
    headers: { 'mcp-session-id': session.id },
    body: JSON.stringify(messages),
  });
  const answers = JSON.parse(body) as readonly { readonly result?: object }[];
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1);
});
