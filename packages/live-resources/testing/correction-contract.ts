import { describe, expect, it } from 'vitest';
import type { CorrectionQuery } from '../src/store.ts';
import { type Open, onNewStore } from './open-store.ts';
import { later, START, sampleFact, sampleLane, write } from './sample-facts.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const STAIRS = sampleFact('user', 'ray', 'stairs');
const RISK = sampleFact('assistant', 'ray', 'risk');
const EVE = sampleFact('user', 'eve', 'walking');

/** Corrections are asked for lane by lane. */
export function correctionContract(open: Open): void {
  describe('corrections', () => {
    const query = (parts: Partial<CorrectionQuery> = {}): CorrectionQuery => ({
      lane: sampleLane(WALKING),
      afterOrdinal: 0,
      since: null,
      limit: 100,
      ...parts,
    });

    it(
      'gives what replaced what in one lane, oldest first, and no first versions',
      onNewStore(open, async (store) => {
        const first = await write(store, WALKING);
        await write(store, STAIRS);
        await write(store, RISK);
        await write(store, RISK);
        const second = await write(store, WALKING);
        await write(store, EVE);
        await write(store, EVE);
        const third = await write(store, WALKING, { value: null });
        expect(await store.corrections(query())).toEqual([
          { position: 5, version: second, previous: first },
          { position: 8, version: third, previous: second },
        ]);
        expect(await store.corrections(query({ lane: sampleLane(sampleFact('user', 'zed', 'x')) }))).toEqual(
          [],
        );
      }),
    );

    it(
      'begins after an ordinal, not before a time, and ends at the limit',
      onNewStore(open, async (store) => {
        // Two entries share each second.
        for (let count = 0; count < 10; count += 1) {
          await write(store, count % 3 === 0 ? STAIRS : WALKING, {
            writtenAt: later(START, Math.floor(count / 2) * 1000),
          });
        }
        const all = await store.corrections(query());
        expect(all).toHaveLength(8);
        for (let after = 0; after <= 11; after += 1) {
          for (const since of [
            null,
            START,
            later(START, 1),
            later(START, 2000),
            later(START, 4000),
            later(START, 4001),
          ]) {
            for (const limit of [0, 1, 3, 100]) {
              const expected = all
                .filter(
                  ({ version }) =>
                    version.laneOrdinal > after && (since === null || version.writtenAt >= since),
                )
                .slice(0, limit);
              expect(await store.corrections(query({ afterOrdinal: after, since, limit }))).toEqual(expected);
            }
          }
        }
      }),
    );
  });
}
