import { afterEach, expect, it } from 'vitest';
import { openSession } from '../fixtures/legacy-session.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import type { SessionRepository } from '../session-repository.ts';

let served: ServedNotes;
afterEach(() => served.stop());

it('says that a session is in use for as long as its stream is open, though its client asks nothing', async () => {
  const touched: string[] = [];
  const sessions: SessionRepository = {
    load: async () => null,
    save: async () => undefined,
    touch: async (id) => void touched.push(id),
    remove: async () => undefined,
  };
  served = await serveNotes({ sessions, hub: { sweepMs: 1, keepAliveMs: 15_000 } });
  served.hub.start();
  const session = await openSession(served.url);
  const stream = await session.stream();
  await stream.next();
  // The hub asks this of each stream at every turn of its timer.
  let turned = (): void => undefined;
  served.callers.guest.isLive = () => {
    turned();
    return true;
  };
  for (let minute = 0; minute < 31; minute += 1) {
    served.clock.ms += 60_000;
    for (let turns = 0; turns < 2; turns += 1)
      await new Promise<void>((resolve) => {
        turned = resolve;
      });
  }
  expect(touched).toContain(session.id);
});
