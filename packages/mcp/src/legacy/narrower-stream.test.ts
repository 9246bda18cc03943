import { expect, it } from 'vitest';
import type { McpApplication } from '../application.ts';
import { openSession } from '../fixtures/legacy-session.ts';
import { NotesApplication, type Reader } from '../fixtures/notes-application.ts';
import { serveNotes } from '../fixtures/served-notes.ts';

/** A mark grows with the lanes that its reader may read, as a real one does; `secret` is a lane of staff alone. */
function application(secret: string): McpApplication<Reader> {
  const notes = new NotesApplication({ 'open://apple': 'red' });
  const { serverInfo, instructions } = notes;
  const history = {
    mark: async ({ staff }: Reader) => `open${staff ? secret : ''}`,
    since: async () => ({ kind: 'missed', changes: [], through: 0 }) as const,
    audible: async (_reader: Reader, uris: readonly string[]) => uris,
  };
  return { serverInfo, instructions, resources: { ...notes.resources, history } };
}

/** How long the first id is that a narrower token of the client reads on a session that a wider one opened. */
async function firstIdLength(secret: string): Promise<number> {
  const served = await serveNotes({ application: application(secret) });
  try {
    const session = await openSession(served.url, 'staff');
    const stream = await session.stream({ token: 'narrow' });
    return (/^id: (\S+)/.exec((await stream.next()) ?? '')?.[1] ?? '').length;
  } finally {
    await served.stop();
  }
}

it('tells a narrower token by no id how much a wider one of the same client may read', async () => {
  expect(await firstIdLength('and-a-lane-of-staff')).toBe(await firstIdLength(''));
});
