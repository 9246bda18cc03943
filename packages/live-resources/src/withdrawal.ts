import type { FactKey } from './partition.ts';
import type { FactStore } from './store.ts';
import type { FactVersion } from './version.ts';

/**
 * A withdrawal takes back every version before it, for good: they may be about someone else altogether, and
 * a later version of the fact does not make them right. This is the same version with its words left out,
 * for who was never given them.
 */
export function withoutWords(version: FactVersion): FactVersion {
  return { ...version, value: null, blob: null };
}

/** A version as the next one takes it back: a withdrawal does not repeat its words. */
export function asTakenBack(version: FactVersion, by: FactVersion): FactVersion {
  return by.kind === 'withdraw' ? withoutWords(version) : version;
}

/** Remembers, for the length of one answer, through which version each fact was withdrawn. */
export function createWithdrawals(store: FactStore): (fact: FactKey) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  return (fact) => {
    const key = `${fact.subject}/${fact.topic}`;
    const found = known.get(key) ?? store.withdrawnThrough(fact);
    known.set(key, found);
    return found;
  };
}
