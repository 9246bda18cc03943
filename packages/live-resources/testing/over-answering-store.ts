import type { Audience, FactKey } from '../src/partition.ts';
import type { FactStore } from '../src/store.ts';
import { PARTITION } from './sample-facts.ts';

/** Every lane there is. */
const EVERYTHING = {
  subjects: '*',
  audiences: PARTITION.rules.map(({ audience }): Audience => audience),
} as const;

/**
 * The same store with a fault that a query can have: it answers with more than it was asked for. Pages and
 * lanes are those of every subject and audience; corrections are those of every lane; a fact's chain, and
 * each version of it but the newest, is that of `other` where there is one.
 */
export function overAnswering(store: FactStore, other: FactKey | null = null): FactStore {
  const stretched = (fact: FactKey): FactKey => other ?? fact;
  return {
    ...store,
    list: (page) => store.list({ ...page, ...EVERYTHING }),
    names: (page) => store.names({ ...page, ...EVERYTHING }),
    lanes: () => store.lanes(EVERYTHING),
    async corrections(query) {
      const lanes = await store.lanes(EVERYTHING);
      const found = await Promise.all(lanes.map((lane) => store.corrections({ ...query, lane })));
      return found.flat().sort((a, b) => a.position - b.position);
    },
    version: (fact, number) => store.version(number === null ? fact : stretched(fact), number),
    chain: (fact) => store.chain(stretched(fact)),
  };
}
