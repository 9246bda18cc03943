import { describe, expect, it } from 'vitest';
import type { FactUri, Topic } from '../src/fact-uri.ts';
import type { Audience } from '../src/partition.ts';
import type { FactStore, LaneFilter } from '../src/store.ts';
import { type Open, onNewStore } from './open-store.ts';
import { later, type SampleFact, START, sampleFact, sampleLane, write } from './sample-facts.ts';
import { EVERY_LANE } from './wholeness.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const STAIRS = sampleFact('user', 'ray', 'stairs');
const RISK = sampleFact('assistant', 'ray', 'risk');
const EVE = sampleFact('user', 'eve', 'walking');
const USER = [WALKING.rule.audience];

/** What a reader asks for is what it gets, in order, and nothing else. */
export function queryContract(open: Open): void {
  versionQueries(open);
  listQueries(open);
  laneQueries(open);
}

function versionQueries(open: Open): void {
  describe('version and chain', () => {
    it(
      'know whom a fact is for, and nothing of one that is not there',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        await write(store, RISK);
        expect(await store.audienceOf(WALKING)).toBe('user');
        expect(await store.audienceOf(RISK)).toBe('assistant');
        expect(await store.audienceOf(STAIRS)).toBeNull();
      }),
    );

    it(
      'give the head of a fact to those who ask for its audience, and to others nothing, then as before',
      onNewStore(open, async (store) => {
        const asked = async (): Promise<unknown[]> => {
          const heads: unknown[] = [];
          for (const fact of [WALKING, RISK, STAIRS])
            for (const reader of [WALKING, RISK])
              heads.push(await store.headFor(fact, sampleLane(reader).audience));
          return heads;
        };
        expect(await asked()).toEqual([null, null, null, null, null, null]);
        const walking = await write(store, WALKING);
        const risk = await write(store, RISK);
        for (let times = 0; times < 2; times += 1)
          expect(await asked()).toEqual([walking, null, null, risk, null, null]);
        const again = await write(store, RISK);
        expect(await asked()).toEqual([walking, null, null, again, null, null]);
      }),
    );

    it(
      'know the newest withdrawal of each fact, and of no other',
      onNewStore(open, async (store) => {
        expect(await store.withdrawnThrough(WALKING)).toBe(0);
        await write(store, WALKING);
        await write(store, STAIRS);
        expect(await store.withdrawnThrough(WALKING)).toBe(0);
        await write(store, WALKING, { value: null });
        await write(store, WALKING);
        expect(await store.withdrawnThrough(WALKING)).toBe(2);
        await write(store, WALKING, { value: null });
        expect(await store.withdrawnThrough(WALKING)).toBe(4);
        expect(await store.withdrawnThrough(STAIRS)).toBe(0);
      }),
    );
    it(
      'give one version, the head for null, and null or nothing for what is absent',
      onNewStore(open, async (store) => {
        const written = [await write(store, WALKING), await write(store, WALKING)];
        await write(store, STAIRS);
        expect(await store.version(WALKING, 1)).toEqual(written[0]);
        expect(await store.version(WALKING, 2)).toEqual(written[1]);
        expect(await store.version(WALKING, null)).toEqual(written[1]);
        expect(await store.chain(WALKING)).toMatchObject({
          head: { version: 2, versionHash: written[1]?.versionHash },
          versions: written,
        });
        for (const version of [0, 3, 999_999_999]) expect(await store.version(WALKING, version)).toBeNull();
        const absent = { ...WALKING, topic: 'walkin' as Topic };
        expect(await store.version(absent, null)).toBeNull();
        expect(await store.chain(absent)).toEqual({ head: null, versions: [], seals: [] });
        for (const after of [0, 1, 2, 3]) {
          const { head, versions } = await store.chain(WALKING, { after, limit: 1 });
          expect({ head, versions }).toMatchObject({
            head: { version: 2 },
            versions: written.slice(after, after + 1),
          });
        }
      }),
    );
  });
}

function listQueries(open: Open): void {
  describe('list', () => {
    it(
      'gives heads in the order of code points of their URIs',
      onNewStore(open, async (store) => {
        const names = ['ray', 'ray-2', 'ray_2', 'r', 'r0', 'zed', '0'];
        for (const name of names) {
          for (const audience of ['user', 'assistant'] as const)
            await write(store, sampleFact(audience, name, `t-${audience}`));
        }
        await write(store, WALKING);
        await write(store, WALKING);
        const heads = await store.list({ ...EVERY_LANE, after: null, limit: 100 });
        const uris = heads.map(({ uri }) => uri);
        expect(uris).toEqual([...uris].sort());
        expect(uris).toHaveLength(2 * names.length + 1);
        expect(heads.find(({ topic }) => topic === 'walking')?.version).toBe(2);
      }),
    );

    it(
      'pages by key, so that a publication between two pages hides nothing that was there before',
      onNewStore(open, async (store) => {
        const before = [WALKING, STAIRS, RISK, EVE, sampleFact('user', 'ray', 'bathing')];
        for (const fact of before) await write(store, fact);
        const expected = (await uris(store, EVERY_LANE)).sort();
        const seen: FactUri[] = [];
        for (let round = 0; ; round += 1) {
          const after = seen.at(-1) ?? null;
          const page = await store.list({ ...EVERY_LANE, after, limit: 2 });
          if (page.length === 0) break;
          seen.push(...page.map(({ uri }) => uri));
          await write(store, sampleFact('user', 'ray', `aa-${round}`));
          await write(store, sampleFact('assistant', 'aa', `${round}`));
          await write(store, WALKING);
        }
        expect(seen).toEqual([...new Set(seen)].sort());
        expect(seen).toEqual(expect.arrayContaining(expected));
      }),
    );

    it(
      'gives only the subjects and audiences asked for',
      onNewStore(open, async (store) => {
        for (const fact of [WALKING, STAIRS, RISK, EVE]) await write(store, fact);
        const of = (subjects: readonly string[] | '*', audiences: readonly Audience[]): Promise<FactUri[]> =>
          uris(store, { subjects: subjects === '*' ? '*' : new Set(subjects), audiences });
        expect(await of('*', USER)).toEqual([
          'fact://eve/walking',
          'fact://ray/stairs',
          'fact://ray/walking',
        ]);
        expect(await of(['ray'], EVERY_LANE.audiences)).toEqual([
          'fact-internal://ray/risk',
          'fact://ray/stairs',
          'fact://ray/walking',
        ]);
        expect(await of(['eve', 'ray', 'nobody'], USER)).toHaveLength(3);
        expect(await of([], USER)).toEqual([]);
        expect(await of('*', [])).toEqual([]);
      }),
    );

    it(
      'takes a name that only resembles a subject for another one',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const names = [
          '*',
          '%',
          'r_y',
          'ra',
          'Ray',
          'ray ',
          'ray\u0000',
          'ray\u0000x',
          '\ud800',
          '',
          '["ray"]',
          'r\u0430y',
        ];
        for (const name of names) {
          const filter = { subjects: new Set([name]), audiences: USER };
          expect(await uris(store, filter)).toEqual([]);
          expect(await store.lanes(filter)).toEqual([]);
        }
        expect(await uris(store, { subjects: new Set([...names, 'ray']), audiences: USER })).toHaveLength(1);
        expect(
          await uris(store, { subjects: '*', audiences: ['use%' as Audience, 'User' as Audience] }),
        ).toEqual([]);
      }),
    );
  });
}

function laneQueries(open: Open): void {
  describe('lanes', () => {
    it(
      'gives the lanes that hold a version, with their heads, by the same filter',
      onNewStore(open, async (store) => {
        for (const fact of [WALKING, STAIRS, RISK, EVE]) await write(store, fact);
        const lane = (fact: SampleFact, ordinal: number): unknown =>
          expect.objectContaining({
            ...sampleLane(fact),
            ordinal,
            writtenAt: later(START, (ordinal - 1) * 1000),
          });
        const all = await store.lanes(EVERY_LANE);
        expect(all).toHaveLength(3);
        expect(all).toEqual(expect.arrayContaining([lane(WALKING, 2), lane(RISK, 1), lane(EVE, 1)]));
        expect(await store.lanes({ subjects: new Set(['ray']), audiences: USER })).toEqual([
          lane(WALKING, 2),
        ]);
        expect(await store.lanes({ subjects: new Set(['eve']), audiences: [RISK.rule.audience] })).toEqual(
          [],
        );
      }),
    );
  });
}

async function uris(store: FactStore, filter: LaneFilter): Promise<FactUri[]> {
  return (await store.list({ ...filter, after: null, limit: 100 })).map(({ uri }) => uri);
}
