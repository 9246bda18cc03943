import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiveScene, type LiveScene, principalOf } from '../testing/live-scene.ts';
import { createHistory, type History } from './history.ts';
import { isNamed, type JournalEntry, type NamedEntry } from './journal.ts';
import type { Principal } from './principal.ts';

const URIS = [
  'fact://ray/walk',
  'fact://ray/bath',
  'fact-internal://ray/risk',
  'fact://kim/walk',
  'fact-internal://kim/risk',
];
const READERS: readonly Principal[] = [
  principalOf(['read.user'], ['ray']),
  principalOf(['read.user', 'read.assistant'], ['ray']),
  principalOf(['read.user'], '*'),
  principalOf(['read.user', 'read.assistant'], '*'),
  principalOf([], '*'),
];
const anything = (): boolean => true;

const nameless = ({ uri, version }: JournalEntry): string => `${uri}/v${version}`;

function historyOf({ live }: LiveScene): History {
  return createHistory(live.partition, live.store, live.cursors);
}

async function after(history: History, reader: Principal, token: string): Promise<string[] | 'unknown'> {
  const missed = await history.since(reader, token, anything, 1000);
  return missed.kind === 'unknown' ? 'unknown' : missed.entries.map(nameless);
}

/** The announced entries after a position that a reader may hear of. */
async function heardAfter({ live }: LiveScene, reader: Principal, position: number): Promise<string[]> {
  const audiences = { user: 'read.user', assistant: 'read.assistant' };
  const entries = await live.store.journal(0 as JournalEntry['position'], 1000);
  return entries
    .filter((entry) => entry.position > position && !entry.quiet)
    .filter(({ audience }) => reader.scopes.has(audiences[audience as 'user']))
    .filter(({ subject }) => reader.subjects === '*' || reader.subjects.has(subject))
    .map(nameless);
}

it('gives whoever comes back what it missed, in order, once, from a mark and from the name of an entry', async () => {
  const step = fc.record({ uri: fc.nat({ max: URIS.length - 1 }), quiet: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 24 }),
      fc.array(step, { maxLength: 24 }),
      fc.nat({ max: READERS.length - 1 }),
      async (before, since, who) => {
        const scene = createLiveScene();
        const history = historyOf(scene);
        const reader = READERS[who] as Principal;
        const write = async (steps: typeof before): Promise<void> => {
          for (const { uri, quiet } of steps) await scene.write(URIS[uri] ?? '', 'said', { quiet });
        };
        await write(before);
        const mark = (await history.mark(reader)) ?? '';
        const head = await scene.live.store.journalHead();
        await write(since);
        expect(await after(history, reader, mark)).toEqual(await heardAfter(scene, reader, head));
        for (const entry of (await scene.live.store.journal(0 as JournalEntry['position'], 1000)).filter(
          isNamed,
        )) {
          const named = await after(history, reader, history.nameOf(entry));
          const mayKnow = (await heardAfter(scene, reader, entry.position - 1))[0] === nameless(entry);
          if (mayKnow) expect(named).toEqual(await heardAfter(scene, reader, entry.position));
        }
      },
    ),
    { numRuns: 60 },
  );
});

it('says the same to a reader whatever was written that it may not see', async () => {
  const reader = READERS[0] as Principal;
  const worlds = await Promise.all(
    [0, 3].map(async (hidden) => {
      const scene = createLiveScene();
      const history = historyOf(scene);
      const hide = async (): Promise<void> => {
        for (let count = 0; count < hidden; count += 1) await scene.write('fact-internal://ray/risk');
      };
      await hide();
      await scene.write('fact://ray/walk', 'one');
      const mark = await history.mark(reader);
      await hide();
      const { uri, version } = await scene.write('fact://ray/walk', 'two');
      await hide();
      const names = [mark ?? '', history.nameOf({ uri, version })];
      return { names, missed: await Promise.all(names.map((each) => after(history, reader, each))) };
    }),
  );
  expect(worlds[1]).toEqual(worlds[0]);
  expect(worlds[0]?.missed).toEqual([['fact://ray/walk/v2'], []]);
});

describe('a token that says nothing to this reader', () => {
  it.each([
    ['altered', async (history: History, reader: Principal) => flipped((await history.mark(reader)) ?? '')],
    [
      'of another reader',
      async (history: History) => history.mark(principalOf(['read.user'], ['ray'], { sub: 'x' })),
    ],
    [
      'of another client',
      async (history: History) => history.mark(principalOf(['read.user'], ['ray'], { clientId: 'x' })),
    ],
    [
      'of an entry that it may not hear of',
      async (history: History) => history.nameOf(entryOf('fact-internal://ray/risk')),
    ],
    ['of another subject', async (history: History) => history.nameOf(entryOf('fact://kim/walk'))],
    ['of a fact by the wrong scheme', async (history: History) => history.nameOf(entryOf('fact://ray/risk'))],
    [
      'of a version that is not there',
      async (history: History) => history.nameOf({ ...entryOf('fact://ray/walk'), version: 9 }),
    ],
    ['never issued', async () => 'AAAA'],
    ['empty', async () => ''],
  ])('is unknown: one %s', async (_what, tokenOf) => {
    const scene = createLiveScene();
    for (const uri of URIS) await scene.write(uri);
    const history = historyOf(scene);
    const reader = READERS[0] as Principal;
    const token = (await tokenOf(history, reader)) ?? '';
    expect(await after(history, reader, token)).toBe('unknown');
  });

  it('is that of an entry whose lane it lost the right to', async () => {
    const scene = createLiveScene();
    const { uri, version } = await scene.write('fact://kim/walk');
    const history = historyOf(scene);
    const token = history.nameOf({ uri, version });
    expect(await after(history, READERS[2] as Principal, token)).toEqual([]);
    expect(await after(history, READERS[0] as Principal, token)).toBe('unknown');
  });
});

it('is unknown past the limit of wanted entries, and not before', async () => {
  const scene = createLiveScene();
  const history = historyOf(scene);
  const reader = READERS[0] as Principal;
  const mark = (await history.mark(reader)) ?? '';
  for (let count = 0; count < 5; count += 1) {
    await scene.write('fact://ray/walk');
    await scene.write('fact://ray/bath');
  }
  const wanted = ({ uri }: NamedEntry): boolean => uri === 'fact://ray/walk';
  expect(await history.since(reader, mark, wanted, 5)).toMatchObject({
    kind: 'missed',
    entries: { length: 5 },
  });
  expect(await history.since(reader, mark, wanted, 4)).toMatchObject({ kind: 'unknown' });
  expect(await history.since(reader, mark, anything, 9)).toMatchObject({ kind: 'unknown' });
});

it('shows nobody more when the store answers with the entries of another lane', async () => {
  const scene = createLiveScene();
  for (const uri of URIS) await scene.write(uri);
  const { partition, store, cursors } = scene.live;
  const internal = { subject: 'ray', audience: 'assistant' } as unknown as Parameters<
    typeof store.laneEntries
  >[0];
  const mixed = { ...store, laneEntries: () => store.laneEntries(internal, 0, 100) };
  const reader = READERS[0] as Principal;
  const token = createHistory(partition, store, cursors).nameOf(entryOf('fact://ray/walk'));
  const missed = await createHistory(partition, mixed, cursors).since(reader, token, anything, 100);
  expect(missed).toMatchObject({ kind: 'missed', entries: [] });
});

it('gives nothing of what a reader may no longer hear', async () => {
  const scene = createLiveScene();
  const history = historyOf(scene);
  await scene.write('fact://ray/walk');
  const reader = READERS[2] as Principal;
  const mark = (await history.mark(reader)) ?? '';
  await scene.write('fact://ray/walk');
  await scene.write('fact://kim/walk');
  expect(await after(history, { ...reader, subjects: new Set(['ray']) }, mark)).toEqual([
    'fact://ray/walk/v2',
  ]);
  expect(await after(history, { ...reader, scopes: new Set() }, mark)).toEqual([]);
});

function entryOf(uri: string): Pick<NamedEntry, 'uri' | 'version'> {
  return { uri: uri as NamedEntry['uri'], version: 1 };
}

function flipped(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  return bytes.toString('base64url');
}
