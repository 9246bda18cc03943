import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Instant, instant } from '../src/clock.ts';
import { BEGINNING, type Position } from '../src/journal.ts';
import type { FactStore } from '../src/store.ts';
import type { Open, OpenStore } from './open-store.ts';
import {
  acceptance,
  attempt,
  later,
  nonceOf,
  type SampleFact,
  START,
  sampleFact,
  sampleLane,
  versionAfter,
} from './sample-facts.ts';
import { createStoreModel, type StoreModel } from './store-model.ts';
import { EVERY_LANE, faultsIn } from './wholeness.ts';

const FACTS = [
  sampleFact('user', 'ray', 'walking'),
  sampleFact('user', 'ray', 'stairs'),
  sampleFact('assistant', 'ray', 'risk'),
  sampleFact('user', 'eve', 'walking'),
];

/** What happens to a store; `elapsed` is in milliseconds since the step before. */
type Step =
  | {
      readonly kind: 'append';
      readonly fact: SampleFact;
      readonly back: { readonly fact: number; readonly lane: number };
      readonly value: string | null;
      readonly quiet: boolean;
      readonly nonce: string | null;
      readonly elapsed: number;
    }
  | { readonly kind: 'refuse'; readonly nonce: string | null; readonly elapsed: number }
  | { readonly kind: 'count'; readonly actor: string | null; readonly elapsed: number }
  | { readonly kind: 'reopen'; readonly elapsed: number };

const nonces = fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { freq: 1 });
const elapsed = fc.constantFrom(0, 1, 999, 20_000, 70_000);
const appends = fc.record({
  kind: fc.constant('append' as const),
  fact: fc.constantFrom(...FACTS),
  // Mostly the heads as they stand.
  back: fc.record({ fact: fc.constantFrom(0, 0, 0, 0, 1), lane: fc.constantFrom(0, 0, 0, 0, 0, 1, 2) }),
  value: fc.option(fc.string({ unit: 'binary', minLength: 1 }), { freq: 8 }),
  quiet: fc.boolean(),
  nonce: nonces,
  elapsed,
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { arbitrary: appends, weight: 8 },
    { arbitrary: fc.record({ kind: fc.constant('refuse' as const), nonce: nonces, elapsed }), weight: 2 },
    {
      arbitrary: fc.record({
        kind: fc.constant('count' as const),
        actor: fc.constantFrom(null, 'x', 'y'),
        elapsed,
      }),
      weight: 2,
    },
    { arbitrary: fc.record({ kind: fc.constant('reopen' as const), elapsed }), weight: 1 },
  ),
  { maxLength: 40 },
);

/** Any sequence of steps leaves the store where it leaves a list of what was accepted. */
export function modelContract(open: Open): void {
  describe('any history', () => {
    it('reads as the list of what was accepted', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const opened = await open();
          try {
            const model = createStoreModel();
            const store = await relive(opened, model, history);
            await compare(store, model);
            expect(await faultsIn(store)).toEqual([]);
          } finally {
            await opened.close();
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}

async function relive(opened: OpenStore, model: StoreModel, history: readonly Step[]): Promise<FactStore> {
  let { store } = opened;
  let now = START;
  for (const step of history) {
    now = later(now, step.elapsed);
    if (step.kind === 'reopen') store = (await opened.reopen?.()) ?? store;
    else await take(step, now, store, model);
  }
  return store;
}

async function take(
  step: Exclude<Step, { kind: 'reopen' }>,
  now: Instant,
  store: FactStore,
  model: StoreModel,
): Promise<void> {
  if (step.kind === 'count') {
    const entry = attempt(minuteOf(now), { actor: step.actor });
    await store.countRefusal(entry);
    model.countRefusal(entry);
    return;
  }
  const nonce = step.nonce === null ? null : nonceOf(step.nonce, now);
  if (step.kind === 'refuse') {
    expect(await store.record(attempt(now), nonce)).toBe(model.record(attempt(now), nonce));
    return;
  }
  const { fact, back, value, quiet } = step;
  const heads = model.heads(fact, sampleLane(fact), back);
  const said = heads.fact === null && value === null ? {} : { value };
  const version = versionAfter(heads, fact, { ...said, writtenAt: now });
  const entry = { version, quiet, nonce, request: null, audit: acceptance(version) };
  expect(await store.append(entry)).toEqual(model.append(entry));
}

async function compare(store: FactStore, model: StoreModel): Promise<void> {
  for (const fact of FACTS) {
    const versions = model.versions(fact);
    const head = versions.at(-1) ?? null;
    expect(await store.heads(fact, sampleLane(fact))).toMatchObject(model.heads(fact, sampleLane(fact)));
    expect(await store.version(fact, null)).toEqual(head);
    const chain = await store.chain(fact);
    expect(chain.versions).toEqual(versions);
    expect(chain.head?.versionHash ?? null).toBe(head?.versionHash ?? null);
    for (const afterOrdinal of [0, 1, 5]) {
      for (const since of [null, later(START, 70_000)]) {
        const query = { lane: sampleLane(fact), afterOrdinal, since, limit: 4 };
        expect(await store.corrections(query)).toEqual(model.corrections(query));
      }
    }
  }
  for (const filter of [
    EVERY_LANE,
    { subjects: new Set(['ray']), audiences: EVERY_LANE.audiences.slice(0, 1) },
  ]) {
    const page = {
      ...filter,
      after: model.list({ ...filter, after: null, limit: 1 })[0]?.uri ?? null,
      limit: 2,
    };
    expect(await store.list(page)).toEqual(model.list(page));
    const lanes = await store.lanes(filter);
    expect(lanes).toHaveLength(model.lanes(filter).length);
    for (const lane of model.lanes(filter)) expect(lanes).toContainEqual(lane);
  }
  const journal = model.journal();
  expect(await store.journal(BEGINNING, 100)).toEqual(journal);
  expect(await store.journal(3 as Position, 5)).toEqual(journal.slice(3, 8));
  expect(await store.journalHead()).toBe(journal.length);
  const audit = model.audit();
  const stored = await store.audit(0, 1000);
  expect(stored.rows).toEqual(audit.rows);
  expect(stored.counted).toHaveLength(audit.counted.length);
  for (const count of audit.counted) expect(stored.counted).toContainEqual(count);
}

function minuteOf(now: Instant): Instant {
  return instant(Math.floor(Date.parse(now) / 60_000) * 60_000);
}
