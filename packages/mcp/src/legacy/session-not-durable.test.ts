import { afterEach, expect, it } from 'vitest';
import { openSession } from '../fixtures/legacy-session.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import type { SessionRepository, StoredSession } from '../session-repository.ts';

let served: ServedNotes;
afterEach(() => served.stop());

/** A repository on a disk that can be full. */
function repository() {
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
  return { kept, disk, sessions };
}

it('does not say that a subscription stands which was never kept', async () => {
  const { kept, disk, sessions } = repository();
  served = await serveNotes({ sessions });
  const session = await openSession(served.url);
  disk.full = true;
  expect((await session.call('resources/subscribe', { uri: 'open://apple' })).body).toContain('"error"');
  expect((await session.call('resources/subscribe', { uri: 'open://apple' })).body).toContain('"error"');
  disk.full = false;
  expect((await session.call('resources/subscribe', { uri: 'open://apple' })).body).toContain('"result"');
  expect(kept.get(session.id)?.subscriptions).toEqual(['open://apple']);
});
