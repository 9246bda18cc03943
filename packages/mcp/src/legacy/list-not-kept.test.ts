import { afterEach, expect, it } from 'vitest';
import { openSession } from '../fixtures/legacy-session.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import type { SessionRepository, StoredSession } from '../session-repository.ts';

let served: ServedNotes;
afterEach(() => served.stop());

it('tells nothing of the store when a list cannot be remembered, and remembers it the next time', async () => {
  const kept = new Map<string, StoredSession>();
  const disk = { full: false };
  const sessions: SessionRepository = {
    load: async (id) => kept.get(id) ?? null,
    async save(session) {
      if (disk.full) throw new Error('there is no room left for /var/lib/store.db');
      kept.set(session.id, session);
    },
    touch: async () => undefined,
    remove: async (id) => void kept.delete(id),
  };
  served = await serveNotes({ sessions });
  const session = await openSession(served.url);
  disk.full = true;
  const refused = await session.call('resources/list');
  disk.full = false;
  await session.call('resources/list');

  expect(kept.get(session.id)?.listServed).toBe(true);
  expect(refused.body).not.toContain('/var/lib/store.db');
  expect(served.faults).toHaveLength(1);
});
