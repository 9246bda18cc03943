import { beforeEach, describe, expect, it } from 'vitest';
import { allOf, createLiveScene, type LiveScene, principalOf } from '../testing/live-scene.ts';
import { overAnswering } from '../testing/over-answering-store.ts';
import type { Subject, Topic } from './fact-uri.ts';
import { createLiveResources, type LiveResources } from './live-resources.ts';
import type { Principal } from './principal.ts';
import type { FactStore } from './store.ts';
import type { VerifiedPart } from './verification.ts';
import type { FactVersion } from './version.ts';

// What the store is asked for never decides: a query of it that forgets a condition must show nothing.

const RISK = { subject: 'ray' as Subject, topic: 'risk' as Topic };
const WALKING = { subject: 'ray' as Subject, topic: 'walking' as Topic };
const EVE = { subject: 'eve' as Subject, topic: 'walking' as Topic };

let scene: LiveScene;
beforeEach(async () => {
  scene = createLiveScene();
  for (let round = 1; round <= 3; round += 1) {
    for (const uri of ['fact://ray/walking', 'fact-internal://ray/risk', 'fact://eve/walking']) {
      await scene.write(uri, `${uri} in round ${round}`);
    }
  }
});

const over = (other: typeof RISK | null = null): LiveResources =>
  createLiveResources({ ...scene.live, store: overAnswering(scene.live.store, other) });

const READERS: readonly (readonly [string, Principal])[] = [
  ['one audience of one subject', principalOf(['read.user'])],
  ['the other audience of one subject', principalOf(['read.assistant'])],
  ['one audience of every subject', principalOf(['read.user'], '*')],
  ['everything of one subject', principalOf(['read.user', 'read.assistant'])],
  ['everything of no subject', principalOf(['read.user', 'read.assistant'], [])],
  ['nothing', principalOf(['write'], '*')],
  ['everything', principalOf(['read.user', 'read.assistant'], '*')],
];

describe.each(READERS)('over a store that answers too much, who may read %s', (_what, principal) => {
  it('is given the same list', async () => {
    const list = (live: LiveResources) => live.list(principal, null, 100);
    expect(await list(over())).toEqual(await list(scene.live));
  });

  it.each([null, 'ray', 'eve', 'ann'])(
    'is given the same corrections of %s, and the same cursor',
    async (subject) => {
      const changes = (live: LiveResources) => live.changes(principal, { subject, since: null, after: null });
      expect(await changes(over())).toEqual(await changes(scene.live));
    },
  );

  it('goes on from a cursor in the same way', async () => {
    const query = { subject: null, since: null, after: null };
    const first = await scene.live.changes(principal, query);
    const after = first.kind === 'changes' ? first.cursor : '';
    for (const uri of ['fact://eve/walking', 'fact-internal://ray/risk', 'fact://ray/walking'])
      await scene.write(uri);
    const changes = (live: LiveResources) => live.changes(principal, { ...query, after });
    expect(await changes(over())).toEqual(await changes(scene.live));
  });

  it.each([null, 'ray', 'eve', 'ann'] as (Subject | null)[])(
    'is shown the same chains of %s',
    async (subject) => {
      const verify = (live: LiveResources) => allOf(live.verify(principal, { subject, topic: null }));
      expect(await verify(over())).toEqual(await verify(scene.live));
    },
  );
});

describe('a store that gives the versions of another fact', () => {
  it.each([
    ['of another audience', RISK],
    ['of another subject', EVE],
  ])('%s, shows none of them to who may not read it', async (_which, other) => {
    const listener = principalOf(['read.user']);
    const live = over(other);
    expect(await allOf(live.verify(listener, { subject: null, topic: null }))).toEqual([
      { uri: 'fact://ray/walking', versions: [], verdict: { intact: false, brokenAt: 1 } },
    ]);
    expect(await live.read(listener, 'fact://ray/walking/v1')).toEqual({ kind: 'absent' });
    const newest = await live.read(listener, 'fact://ray/walking');
    expect(newest).toMatchObject({ kind: 'found', version: { version: 3 }, superseded: null });
  });

  type Mix = (own: readonly FactVersion[], foreign: readonly FactVersion[]) => readonly FactVersion[];

  async function verifyMixed(principal: Principal, mix: Mix): Promise<VerifiedPart | undefined> {
    const { store } = scene.live;
    const mixed: FactStore = {
      ...store,
      async chain(fact) {
        const [own, foreign] = await Promise.all([store.chain(fact), store.chain(RISK)]);
        return { ...own, versions: mix(own.versions, foreign.versions) };
      },
    };
    const live = createLiveResources({ ...scene.live, store: mixed });
    const [chain] = await allOf(live.verify(principal, WALKING));
    return chain;
  }

  it.each<[string, Mix, number, number[]]>([
    ['after', (own, foreign) => [...own.slice(0, 2), ...foreign.slice(2)], 3, [1, 2]],
    ['before', (own, foreign) => [...foreign.slice(0, 2), ...own.slice(2)], 1, [3]],
    ['between', (own, foreign) => [own, foreign, own].flatMap((all, at) => all.slice(at, at + 1)), 2, [1, 3]],
  ])('%s its own, has them left out and its chain broken there', async (_where, mix, brokenAt, shown) => {
    const chain = await verifyMixed(principalOf(['read.user']), mix);
    expect(chain?.verdict).toEqual({ intact: false, brokenAt });
    expect(chain?.uri).toBe('fact://ray/walking');
    expect(chain?.versions.map(({ audience, version }) => [audience, version])).toEqual(
      shown.map((version) => ['user', version]),
    );
    // Whoever may read both is shown both, and that they do not belong together.
    const whole = await verifyMixed(principalOf(['read.user', 'read.assistant']), mix);
    expect(whole?.versions).toHaveLength(3);
    expect(whole?.verdict?.intact).toBe(false);
  });
});
