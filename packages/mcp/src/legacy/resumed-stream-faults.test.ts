import { afterEach, expect, it } from 'vitest';
import type { McpApplication, ResourceHistory } from '../application.ts';
import { openSession } from '../fixtures/legacy-session.ts';
import { NotesApplication, type Reader } from '../fixtures/notes-application.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';

let served: ServedNotes;
afterEach(() => served.stop());

const UNKNOWN = { kind: 'unknown', through: 0 } as const;

function withHistory(history: Partial<ResourceHistory<Reader>>): McpApplication<Reader> {
  const notes = new NotesApplication({ 'open://apple': 'red' });
  const { serverInfo, instructions } = notes;
  const none: ResourceHistory<Reader> = {
    mark: async () => null,
    since: async () => UNKNOWN,
    audible: async (_reader, uris) => uris,
  };
  return { serverInfo, instructions, resources: { ...notes.resources, history: { ...none, ...history } } };
}

const changedList = 'notifications/resources/list_changed';

it('tells of a list that was served and changed while the stream was being opened', async () => {
  let head = 0;
  let marking = async (): Promise<void> => undefined;
  const [asked, marked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const application = withHistory({
    async mark() {
      await marking();
      return `m${head}`;
    },
    since: async (_reader, token, { list }) => ({
      kind: 'missed',
      through: head,
      changes: list && token !== `m${head}` ? [{ uri: null, id: `m${head}` }] : [],
    }),
  });
  served = await serveNotes({ application });
  const session = await openSession(served.url);
  marking = async () => {
    asked.resolve();
    await marked.promise;
  };
  const opening = session.stream();
  await asked.promise;
  await session.call('resources/list');
  head = 1;
  served.hub.resourceListChanged(() => true, { order: 1, id: () => 'm1' });
  marked.resolve();
  const stream = await opening;
  await stream.next();
  await served.endpoint.closeAll();
  expect((await stream.rest()).join('\n')).toContain(changedList);
});

it('tells once of what was announced while it was being replayed, and again of what comes after', async () => {
  const announce = (order: number): void =>
    served.hub.resourceUpdated('open://apple', () => true, { order, id: () => `m${order}` });
  const application = withHistory({
    mark: async () => 'm0',
    async since() {
      announce(1);
      return { kind: 'missed', through: 1, changes: [{ uri: 'open://apple', id: 'm1' }] };
    },
  });
  served = await serveNotes({ application });
  const session = await openSession(served.url);
  await session.call('resources/subscribe', { uri: 'open://apple' });
  const stream = await session.stream();
  await stream.next();
  announce(1);
  announce(2);
  await served.endpoint.closeAll();
  const ids = (await stream.rest()).map((event) => /^id: (\S+)/.exec(event)?.[1]);
  expect(ids).toEqual(['m1', 'm2']);
});

it('tells of what was subscribed to and changed while the rest was being replayed', async () => {
  let subscribing = async (): Promise<void> => undefined;
  const application = withHistory({
    mark: async () => 'm0',
    async since() {
      await subscribing();
      return { kind: 'missed', through: 1, changes: [] };
    },
  });
  served = await serveNotes({ application });
  const session = await openSession(served.url);
  subscribing = async () => {
    await session.call('resources/subscribe', { uri: 'open://apple' });
    served.hub.resourceUpdated('open://apple', () => true, { order: 1, id: () => 'm1' });
  };
  const stream = await session.stream();
  await stream.next();
  await served.endpoint.closeAll();
  expect((await stream.rest()).join('\n')).toContain('open://apple');
});

it('says the gap to a client of which nobody knows how far it got', async () => {
  served = await serveNotes({ application: withHistory({}) });
  const session = await openSession(served.url);
  await session.call('resources/subscribe', { uri: 'open://apple' });
  served.hub.resourceUpdated('open://apple', () => true, { order: 1, id: () => 'm1' });
  const stream = await session.stream();
  await stream.next();
  await served.endpoint.closeAll();
  expect((await stream.rest()).join('\n')).toContain('open://apple');
});

it('gives no id that is too long to be sent back in a header', async () => {
  const long = 'm'.repeat(20_000);
  const since = async (_reader: Reader, token: string) =>
    token === long ? ({ kind: 'missed', changes: [], through: 0 } as const) : UNKNOWN;
  served = await serveNotes({ application: withHistory({ mark: async () => long, since }) });
  const session = await openSession(served.url);
  const stream = await session.stream();
  const id = /^id: (\S+)/.exec((await stream.next()) ?? '')?.[1] ?? '';
  const again = await session.stream({ headers: { 'last-event-id': id } });
  expect(again.res.statusCode).toBe(200);
});
