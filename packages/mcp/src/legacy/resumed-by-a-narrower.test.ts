import {
  createCursorCodec,
  createLiveResources,
  createMemoryStore,
  epochMs,
  type Principal,
  seededRandomness,
} from '@unsay/live-resources';
import { createVirtualClock, PARTITION, publicationOf, START, writer } from '@unsay/live-resources/testing';
import { afterEach, expect, it } from 'vitest';
import type { McpApplication, ResourceHistory } from '../application.ts';
import { openSession } from '../fixtures/legacy-session.ts';
import { NotesApplication, type Reader } from '../fixtures/notes-application.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import { resourceHistory } from '../live-history.ts';

let served: ServedNotes;
afterEach(() => served.stop());

const WALK = 'fact://ray/walk';
const RISK = 'fact-internal://ray/risk';

const principalOf = ({ staff }: Reader): Principal => ({
  sub: 'ana',
  clientId: 'desk',
  scopes: new Set(staff ? ['read.user', 'read.assistant'] : ['read.user']),
  subjects: new Set(['ray']),
});

it('loses nothing for a wider token because a narrower one of the same client went on with the session', async () => {
  const live = createLiveResources({
    partition: PARTITION,
    store: createMemoryStore(),
    clock: createVirtualClock(epochMs(START)),
    randomness: seededRandomness('narrower'),
    cursors: createCursorCodec(new Uint8Array(32).fill(7)),
    defaultAuthorLabel: 'your care team',
  });
  const kept = resourceHistory(live);
  const history: ResourceHistory<Reader> = {
    mark: (reader) => kept.mark(principalOf(reader)),
    since: (reader, ...asked) => kept.since(principalOf(reader), ...asked),
    audible: (reader, uris) => kept.audible(principalOf(reader), uris),
  };
  const notes = new NotesApplication({});
  const { serverInfo, instructions } = notes;
  const application: McpApplication<Reader> = {
    serverInfo,
    instructions,
    resources: { ...notes.resources, mayHear: async () => true, history },
  };
  served = await serveNotes({ application });
  const write = (uri: string) => live.publish(writer, publicationOf(uri, 'said'));
  await write(WALK);
  await write(RISK);
  const session = await openSession(served.url, 'staff');
  await session.call('resources/subscribe', { uri: WALK });
  await session.call('resources/subscribe', { uri: RISK });
  await write(RISK);
  await write(WALK);

  const narrow = await session.stream({ token: 'narrow' });
  await narrow.next();
  const id = /^id: (\S+)/.exec((await narrow.next()) ?? '')?.[1] ?? '';
  const again = await session.stream({ token: 'narrow', headers: { 'last-event-id': id } });
  await again.next();

  const wide = await session.stream({ token: 'staff' });
  await wide.next();
  await served.endpoint.closeAll();
  expect((await wide.rest()).join('\n')).toContain(RISK);
});
