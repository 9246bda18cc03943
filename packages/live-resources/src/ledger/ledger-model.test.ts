import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listener } from '../../testing/ledger-contract.ts';
import { createLiveScene, principalOf } from '../../testing/live-scene.ts';
import type { Listener } from './listener.ts';
import { createListenerLedger } from './listener-ledger.ts';
import { createMemoryLedgerStore } from './memory-ledger-store.ts';
import type { Receipt, ReceiptState } from './sentence.ts';

const URI = 'fact://ray/walk';
const principal = principalOf(['read.user'], ['ray'], { sub: 'ray-phone', clientId: 'phone-app' });
const phone: Listener = { id: listener('phone'), sub: 'ray-phone', clientId: 'phone-app' };

type Step =
  | { readonly kind: 'publish' }
  | { readonly kind: 'say' }
  /** What became of the sentence that was given next: a device says them in order. */
  | { readonly kind: 'hear'; readonly state: ReceiptState; readonly isReported: boolean }
  /** An earlier report, once more. */
  | { readonly kind: 'repeat'; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: 'publish' } as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'say' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('hear' as const),
      state: fc.constantFrom<ReceiptState>('heard', 'cut', 'not_heard', 'failed'),
      isReported: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which: fc.nat() }) },
);

/**
 * The person in the room is the model: it knows which old words it heard any part of and was not told since to
 * forget. Whatever the reports say, and whether they come at all, what it must be told is owed.
 */
it('owes every version that somebody heard and nobody took back, whatever is reported', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const scene = createLiveScene();
      const { partition, store } = scene.live;
      const { clock } = scene;
      const ledger = createListenerLedger({
        partition,
        store,
        ledger: createMemoryLedgerStore(),
        clock,
        glossary: [],
      });
      const believed = new Set<number>();
      const open: { version: number; takesBack: number | null }[] = [];
      const reports: (() => Promise<unknown>)[] = [];
      let { version: head } = await scene.write(URI);

      for (const each of steps) {
        clock.advance(1000);
        if (each.kind === 'publish') ({ version: head } = await scene.write(URI));
        if (each.kind === 'repeat') await reports[each.which % Math.max(1, reports.length)]?.();
        if (each.kind === 'say') {
          const said = await ledger.say(principal, phone, URI);
          if (said === null) throw new Error('a fact that is there was not said');
          open.push({ version: said.version.version, takesBack: said.takesBack });
        }
        if (each.kind === 'hear') {
          const sentence = open.shift();
          if (sentence === undefined) continue;
          if (each.state === 'heard' || each.state === 'cut') believed.add(sentence.version);
          if (each.state === 'heard' && sentence.takesBack !== null) believed.delete(sentence.takesBack);
          const receipt: Receipt = { state: each.state, wordsHeard: null };
          const report = () => ledger.report(principal, phone, { uri: URI, ...sentence }, receipt);
          reports.push(report);
          if (each.isReported) await report();
        }
        const owed = new Set(
          (await ledger.duties({ subjects: '*', audiences: rulesOf(scene) })).map(
            ({ given }) => given.version,
          ),
        );
        for (const version of believed) if (version < head) expect(owed).toContain(version);
      }
    }),
    { numRuns: 300 },
  );
});

function rulesOf(scene: ReturnType<typeof createLiveScene>) {
  return scene.live.partition.rules.map(({ audience }) => audience);
}

it('gives the same whatever the order in which reports of one sentence come, and however often', async () => {
  const receipt = fc.record({
    state: fc.constantFrom<ReceiptState>('heard', 'cut', 'not_heard', 'failed'),
    wordsHeard: fc.option(fc.nat({ max: 9 })),
  });
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(receipt, { minLength: 1, maxLength: 6 })
        .chain((receipts) =>
          fc.tuple(
            fc.constant(receipts),
            fc.shuffledSubarray([...receipts, ...receipts], { minLength: receipts.length * 2 }),
          ),
        ),
      async ([receipts, shuffled]) => {
        const states = await Promise.all(
          [receipts, shuffled].map(async (order) => {
            const scene = createLiveScene();
            const store = createMemoryLedgerStore();
            const parts = { partition: scene.live.partition, store: scene.live.store, clock: scene.clock };
            const ledger = createListenerLedger({ ...parts, ledger: store, glossary: [] });
            const { subject, topic } = await scene.write(URI);
            await ledger.say(principal, phone, URI);
            for (const each of order) {
              await ledger.report(principal, phone, { uri: URI, version: 1, takesBack: null }, each);
            }
            return store.sentences(phone.id, { subject, topics: [topic] });
          }),
        );
        expect(states[1]).toEqual(states[0]);
      },
    ),
    { numRuns: 100 },
  );
});
