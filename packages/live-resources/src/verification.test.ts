import { beforeEach, describe, expect, it } from 'vitest';
import { allOf, createLiveScene, type LiveScene, principalOf } from '../testing/live-scene.ts';
import { sampleFact, write } from '../testing/sample-facts.ts';
import type { Subject, Topic } from './fact-uri.ts';
import type { Principal } from './principal.ts';
import type { FactStore } from './store.ts';
import { type VerificationQuery, type VerifiedPart, verifyChains } from './verification.ts';
import type { FactVersion } from './version.ts';

const everyone = principalOf(['read.user', 'read.assistant'], '*');

let scene: LiveScene;
beforeEach(async () => {
  scene = createLiveScene();
  for (const uri of [
    'fact://ray/walking',
    'fact-internal://ray/risk',
    'fact://eve/walking',
    'fact://ray/stairs',
  ]) {
    await scene.write(uri);
    await scene.write(uri);
  }
});

async function verify(
  principal: Principal,
  { subject = null, topic = null }: { subject?: string | null; topic?: string | null } = {},
  store: FactStore = scene.live.store,
): Promise<VerifiedPart[]> {
  const query = { subject, topic } as VerificationQuery;
  return allOf(verifyChains(scene.live.partition, store, principal, query));
}

const uris = (chains: readonly VerifiedPart[]): string[] => chains.map(({ uri }) => uri);

describe('verification', () => {
  it('replays every chain that the principal may read, in the order of URIs', async () => {
    const chains = await verify(everyone);
    expect(uris(chains)).toEqual([
      'fact-internal://ray/risk',
      'fact://eve/walking',
      'fact://ray/stairs',
      'fact://ray/walking',
    ]);
    expect(chains.map(({ verdict, versions }) => [verdict, versions.length])).toEqual(
      chains.map(() => [{ intact: true }, 2]),
    );
  });

  it.each<[string, Principal, string[]]>([
    [
      'one scope',
      principalOf(['read.user'], '*'),
      ['fact://eve/walking', 'fact://ray/stairs', 'fact://ray/walking'],
    ],
    ['the other scope', principalOf(['read.assistant'], '*'), ['fact-internal://ray/risk']],
    ['one subject', principalOf(['read.user', 'read.assistant'], ['eve']), ['fact://eve/walking']],
    ['a scope that reads nothing', principalOf(['write'], '*'), []],
    ['no subject', principalOf(['read.user', 'read.assistant'], []), []],
  ])('shows nothing else to who has %s', async (_what, principal, expected) => {
    expect(uris(await verify(principal))).toEqual(expected);
  });

  it('can be asked for one subject, one topic or one fact', async () => {
    expect(uris(await verify(everyone, { subject: 'eve' }))).toEqual(['fact://eve/walking']);
    expect(uris(await verify(everyone, { topic: 'walking' }))).toEqual([
      'fact://eve/walking',
      'fact://ray/walking',
    ]);
    expect(uris(await verify(everyone, { subject: 'ray', topic: 'walking' }))).toEqual([
      'fact://ray/walking',
    ]);
  });

  it('answers a subject that was not granted as one that does not exist', async () => {
    const ray = principalOf(['read.user', 'read.assistant'], ['ray']);
    expect(await verify(ray, { subject: 'eve' })).toEqual([]);
    expect(await verify(ray, { subject: 'ann' })).toEqual([]);
    expect(await verify(ray, { topic: 'nothing' })).toEqual([]);
    expect(uris(await verify(ray, { subject: '*' }))).toEqual([]);
  });

  it.each([99, 100, 101, 250])('replays each of %i facts once', async (count) => {
    const { live, write: publish } = createLiveScene();
    const topics = Array.from({ length: count }, (_, index) => `t${index}`);
    for (const topic of topics) await publish(`fact://ray/${topic}`);
    const chains = await allOf(live.verify(everyone, { subject: null, topic: null }));
    expect(uris(chains)).toEqual(topics.map((topic) => `fact://ray/${topic}`).sort());
  });

  it.each([255, 256, 257, 700])('replays a chain of %i versions part by part', async (count) => {
    const { live, write: publish } = createLiveScene();
    for (let version = 0; version < count; version += 1) await publish('fact://ray/walking');
    const parts = await allOf(live.verify(everyone, { subject: null, topic: null }));
    expect(parts.map(({ verdict }) => verdict)).toEqual(
      parts.map((_, index) => (index === parts.length - 1 ? { intact: true } : null)),
    );
    expect(parts.flatMap(({ versions }) => versions.map(({ version }) => version))).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    );
    expect(Math.max(...parts.map(({ versions }) => versions.length))).toBeLessThanOrEqual(256);
  });

  it.each([1, 256, 257, 400])('finds version %i broken in whatever part it stands', async (broken) => {
    const { live, write: publish } = createLiveScene();
    for (let version = 0; version < 400; version += 1) await publish('fact://ray/walking');
    const store: FactStore = {
      ...live.store,
      async chain(fact, page) {
        const { versions, ...rest } = await live.store.chain(fact, page);
        const changed = versions.map((each) => (each.version === broken ? { ...each, authorId: 'x' } : each));
        return { ...rest, versions: changed };
      },
    };
    const parts = await allOf(verifyChains(live.partition, store, everyone, { subject: null, topic: null }));
    expect(parts.at(-1)?.verdict).toEqual({ intact: false, brokenAt: broken });
  });

  it('replays a withdrawn fact', async () => {
    await write(scene.live.store, sampleFact('user', 'ray', 'walking'), { value: null });
    const [chain] = await verify(everyone, { subject: 'ray', topic: 'walking' });
    expect(chain).toMatchObject({ verdict: { intact: true }, versions: [{}, {}, { kind: 'withdraw' }] });
  });
});

describe('a store that was tampered with', () => {
  const RISK = { subject: 'ray' as Subject, topic: 'risk' as Topic };

  /** The store, with one chain changed behind its back. */
  function tampered(change: (versions: readonly FactVersion[]) => readonly FactVersion[]): FactStore {
    const { store } = scene.live;
    return {
      ...store,
      async chain(fact) {
        const chain = await store.chain(fact);
        return fact.topic === RISK.topic ? { ...chain, versions: change(chain.versions) } : chain;
      },
    };
  }

  it.each<[string, number, (versions: readonly FactVersion[]) => readonly FactVersion[]]>([
    ['words', 1, (all) => all.map((version, at) => (at === 0 ? { ...version, value: 'low' } : version))],
    ['an author', 2, (all) => all.map((version, at) => (at === 1 ? { ...version, authorId: 'x' } : version))],
    ['the newest version taken away', 2, (all) => all.slice(0, 1)],
    ['the oldest version taken away', 1, (all) => all.slice(1)],
    ['every version taken away', 1, () => []],
  ])('is found out by its chain: %s', async (_what, brokenAt, change) => {
    const chains = await verify(everyone, {}, tampered(change));
    expect(chains.filter(({ verdict }) => !verdict?.intact)).toMatchObject([
      { uri: 'fact-internal://ray/risk', verdict: { intact: false, brokenAt } },
    ]);
    expect(chains).toHaveLength(4);
  });
});
