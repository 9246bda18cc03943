import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLiveScene, type LiveScene, principalOf, writer } from '../testing/live-scene.ts';
import { sampleFact, write } from '../testing/sample-facts.ts';
import type { Principal } from './principal.ts';
import { listFacts, type ReadOutcome } from './reading.ts';
import type { FactStore } from './store.ts';

const ABSENT = { kind: 'absent' };
const user = principalOf(['read.user']);
const assistant = principalOf(['read.assistant']);
const both = principalOf(['read.user', 'read.assistant']);

let scene: LiveScene;
beforeEach(async () => {
  scene = createLiveScene();
  await scene.write('fact://ray/walking', 'first');
  await scene.write('fact://ray/walking', 'second');
  await scene.write('fact://ray/walking', 'third');
  await scene.write('fact-internal://ray/risk', 'high');
  await scene.write('fact://eve/walking', 'of another');
});

const read = (principal: Principal, uri: string): Promise<ReadOutcome> => scene.live.read(principal, uri);

describe('reading a fact', () => {
  it('gives the head, and the version whose words it takes back', async () => {
    expect(await read(user, 'fact://ray/walking')).toMatchObject({
      kind: 'found',
      version: { version: 3, value: 'third' },
      head: { version: 3 },
      superseded: { version: 2, value: 'second' },
    });
  });

  it('gives a first version nothing to take back', async () => {
    expect(await read(assistant, 'fact-internal://ray/risk')).toMatchObject({
      version: { version: 1, value: 'high' },
      superseded: null,
    });
  });

  it('gives one version by its number, with the head that takes it back', async () => {
    expect(await read(user, 'fact://ray/walking/v1')).toMatchObject({
      version: { value: 'first' },
      head: { value: 'third' },
      superseded: { value: 'first' },
    });
  });

  it('answers the newest version by number as it answers the head', async () => {
    expect(await read(user, 'fact://ray/walking/v3')).toEqual(await read(user, 'fact://ray/walking'));
  });

  it('gives a version that does not exist yet to nobody', async () => {
    expect(await read(writer, 'fact://ray/walking/v4')).toEqual(ABSENT);
    expect(await read(writer, 'fact://ray/walking/v999999999')).toEqual(ABSENT);
  });
});

describe('a withdrawn fact', () => {
  const fact = sampleFact('user', 'ray', 'walking');

  beforeEach(async () => {
    await write(scene.live.store, fact, { value: null });
  });

  it('is still found by its bare URI, without words', async () => {
    expect(await read(user, 'fact://ray/walking')).toMatchObject({
      version: { version: 4, kind: 'withdraw', value: null },
      superseded: { version: 3, value: null },
    });
  });

  it('has no older versions', async () => {
    for (const number of [1, 2, 3]) expect(await read(user, `fact://ray/walking/v${number}`)).toEqual(ABSENT);
    expect(await read(user, 'fact://ray/walking/v4')).toMatchObject({ version: { value: null } });
  });

  it('does not have its old versions again when it is said anew', async () => {
    await scene.write('fact://ray/walking', 'fifth');
    expect(await read(user, 'fact://ray/walking/v1')).toEqual(ABSENT);
    expect(await read(user, 'fact://ray/walking')).toMatchObject({
      version: { value: 'fifth' },
      superseded: { value: null },
    });
  });
});

describe('one answer for everything that may not be read:', () => {
  it.each<[string, Principal, string]>([
    ['a fact that does not exist', both, 'fact://ray/stairs'],
    ['an internal fact, to who holds the other scope', user, 'fact-internal://ray/risk'],
    ['a version of an internal fact', user, 'fact-internal://ray/risk/v1'],
    ['a spoken fact, to who holds the other scope', assistant, 'fact://ray/walking'],
    ['a fact of another subject', both, 'fact://eve/walking'],
    ['a subject that does not exist', both, 'fact://ann/walking'],
    ['a spoken URI of an internal fact, to who holds both scopes', both, 'fact://ray/risk'],
    ['its version', both, 'fact://ray/risk/v1'],
    ['an internal URI of a spoken fact, to who holds both scopes', both, 'fact-internal://ray/walking'],
    ['its version by number', both, 'fact-internal://ray/walking/v1'],
    ['the same, to who may do everything', writer, 'fact://ray/risk'],
    ['a spoken URI of an internal fact, to who holds its scope alone', assistant, 'fact://ray/risk'],
    ['a scheme of nobody', writer, 'care://ray/walking'],
    ['an audience for a scheme', writer, 'user://ray/walking'],
    ['another spelling', writer, 'FACT://ray/walking'],
    ['version 0', writer, 'fact://ray/walking/v0'],
    ['a trailing slash', writer, 'fact://ray/walking/'],
    ['nothing', writer, ''],
    ['anything, to who holds no scope', principalOf([]), 'fact://ray/walking'],
    ['anything, to who may only write', principalOf(['write']), 'fact://ray/walking'],
    ['anything, to who was granted no subject', principalOf(['read.user'], []), 'fact://ray/walking'],
    [
      'anything, to who was granted a subject called *',
      principalOf(['read.user'], ['*']),
      'fact://ray/walking',
    ],
  ])('%s', async (_what, principal, uri) => {
    expect(await read(principal, uri)).toEqual(ABSENT);
  });

  it('and what is found belongs to the lane that the URI names and the principal may read', async () => {
    const uris = fc
      .tuple(
        fc.constantFrom('fact', 'fact-internal', 'care'),
        fc.constantFrom('ray', 'eve', 'ann'),
        fc.constantFrom('walking', 'risk', 'stairs'),
        fc.constantFrom('', '/v1', '/v2', '/v3', '/v4', '/v0'),
      )
      .map(([scheme, subject, topic, version]) => `${scheme}://${subject}/${topic}${version}`);
    const principals = fc
      .tuple(
        fc.subarray(['read.user', 'read.assistant', 'write']),
        fc.constantFrom('*' as const, ['ray'], ['eve'], ['ray', 'eve'], []),
      )
      .map(([scopes, subjects]) => principalOf(scopes, subjects));
    const readable: Record<string, { scope: string; subject: string; versions: number }> = {
      'fact://ray/walking': { scope: 'read.user', subject: 'ray', versions: 3 },
      'fact-internal://ray/risk': { scope: 'read.assistant', subject: 'ray', versions: 1 },
      'fact://eve/walking': { scope: 'read.user', subject: 'eve', versions: 1 },
    };
    await fc.assert(
      fc.asyncProperty(principals, uris, async (principal, uri) => {
        const [, bare = '', number = '1'] = /^(.*?)(?:\/v(\d))?$/.exec(uri) ?? [];
        const fact = readable[bare];
        const may =
          fact !== undefined &&
          principal.scopes.has(fact.scope) &&
          (principal.subjects === '*' || principal.subjects.has(fact.subject)) &&
          Number(number) >= 1 &&
          Number(number) <= fact.versions;
        expect((await read(principal, uri)).kind).toBe(may ? 'found' : 'absent');
      }),
      { numRuns: 400 },
    );
  });
});

describe('listing', () => {
  const list = async (principal: Principal, after: string | null = null, limit = 10): Promise<string[]> =>
    (await scene.live.list(principal, after, limit)).map(({ uri }) => uri);

  it('gives the facts that the principal may read, in the order of URIs', async () => {
    expect(await list(user)).toEqual(['fact://ray/walking']);
    expect(await list(assistant)).toEqual(['fact-internal://ray/risk']);
    expect(await list(both)).toEqual(['fact-internal://ray/risk', 'fact://ray/walking']);
    expect(await list(writer)).toEqual([
      'fact-internal://ray/risk',
      'fact://eve/walking',
      'fact://ray/walking',
    ]);
    expect(await list(principalOf([], '*'))).toEqual([]);
    expect(await list(principalOf(['write'], '*'))).toEqual([]);
    expect(await list(principalOf(['read.user', 'read.assistant'], []))).toEqual([]);
  });

  it('goes on after a URI, whether that is there, hidden or gone', async () => {
    expect(await list(writer, 'fact-internal://ray/risk')).toEqual([
      'fact://eve/walking',
      'fact://ray/walking',
    ]);
    expect(await list(writer, 'fact://eve/walking', 1)).toEqual(['fact://ray/walking']);
    expect(await list(user, 'fact://eve/walking')).toEqual(['fact://ray/walking']);
    expect(await list(user, 'fact://abe/none')).toEqual(['fact://ray/walking']);
    expect(await list(user, 'fact://ray/walking')).toEqual([]);
  });

  it('gives nothing after what is no URI', async () => {
    for (const after of ['', 'fact', 'FACT://ray/walking', '\0'])
      expect(await list(writer, after)).toEqual([]);
  });

  it('does not rest on the store alone: what it gives too much is not passed on', async () => {
    const { partition, store } = scene.live;
    const generous: FactStore = {
      ...store,
      list: (page) =>
        store.list({ ...page, subjects: '*', audiences: partition.rules.map((rule) => rule.audience) }),
    };
    const facts = await listFacts(partition, generous, user, null, 10);
    expect(facts.map(({ uri }) => uri)).toEqual(['fact://ray/walking']);
  });

  it('keeps a withdrawn fact', async () => {
    await write(scene.live.store, sampleFact('user', 'ray', 'walking'), { value: null });
    expect(await list(user)).toEqual(['fact://ray/walking']);
  });

  it('hides nothing that was there throughout when facts appear between pages', async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,2}$/), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(names, names, fc.integer({ min: 1, max: 4 }), async (before, between, limit) => {
        const { live, write: publish } = createLiveScene();
        for (const topic of before) await publish(`fact://ray/${topic}`);
        const given: string[] = [];
        const late = [...between];
        for (let page = await live.list(user, null, limit); page.length > 0; ) {
          given.push(...page.map(({ uri }) => uri));
          const topic = late.pop();
          if (topic !== undefined) await publish(`fact://ray/${topic}`);
          page = await live.list(user, given.at(-1) ?? null, limit);
        }
        expect(given).toEqual([...new Set(given)].sort());
        expect(given).toEqual(expect.arrayContaining(before.map((topic) => `fact://ray/${topic}`)));
      }),
    );
  });
});
