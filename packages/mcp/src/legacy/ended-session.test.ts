import { afterEach, expect, it } from 'vitest';
import { openSession } from '../fixtures/legacy-session.ts';
import { NotesApplication } from '../fixtures/notes-application.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import type { SessionRepository, StoredSession } from '../session-repository.ts';

let served: ServedNotes;
afterEach(() => served.stop());

function repository(removal: Promise<void> = Promise.resolve()) {
  const kept = new Map<string, StoredSession>();
  const removing = Promise.withResolvers<void>();
  const sessions: SessionRepository = {
    load: async (id) => kept.get(id) ?? null,
    save: async (session) => void kept.set(session.id, session),
    touch: async () => undefined,
    async remove(id) {
      removing.resolve();
      await removal;
      kept.delete(id);
    },
  };
  return { kept, removing: removing.promise, sessions };
}

it('answers the end of a session when it is durable, and not before', async () => {
  const disk = Promise.withResolvers<void>();
  const { kept, removing, sessions } = repository(disk.promise);
  served = await serveNotes({ sessions });
  const session = await openSession(served.url);
  let answered = false;
  const ending = session.end().then((answer) => {
    answered = true;
    return answer;
  });
  await removing;
  // Another request goes there and back in the meantime: the session is over, whatever the disk does.
  expect((await session.call('resources/list')).status).toBe(404);
  expect(answered && kept.has(session.id)).toBe(false);
  disk.resolve();
  expect((await ending).status).toBe(200);
  expect(kept.size).toBe(0);
});

it('is not brought back by a request that was under way when it ended', async () => {
  const notes = new NotesApplication({ 'open://apple': 'red' });
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const mayHear = async (): Promise<boolean> => {
    asked.resolve();
    await answer.promise;
    return true;
  };
  const { kept, sessions } = repository();
  const application = {
    serverInfo: notes.serverInfo,
    instructions: notes.instructions,
    resources: { ...notes.resources, mayHear },
  };
  served = await serveNotes({ sessions, application });
  const session = await openSession(served.url);
  const subscribing = session.call('resources/subscribe', { uri: 'open://apple' });
  await asked.promise;
  await session.end();
  answer.resolve();
  await subscribing;
  expect(kept.size).toBe(0);
  expect((await session.call('resources/list')).status).toBe(404);
});
