import { afterEach, expect, it } from 'vitest';
import { initializeMessage, openSession } from '../fixtures/legacy-session.ts';
import { send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

it('leaves no session behind of which the client was never told, and takes no room for it', async () => {
  const disk = { full: false };
  served = await serveNotes({
    limits: { sessionsPerOwner: 2 },
    sessions: {
      load: async () => null,
      async save() {
        if (disk.full) throw new Error('no room');
      },
      touch: async () => undefined,
      remove: async () => undefined,
    },
  });
  const session = await openSession(served.url);
  disk.full = true;
  for (let tries = 0; tries < 3; tries += 1) {
    expect((await send(served.url, { body: initializeMessage() })).status).toBe(500);
  }
  disk.full = false;
  expect(served.endpoint.sessions).toBe(1);
  expect((await session.call('resources/list')).status).toBe(200);
});
