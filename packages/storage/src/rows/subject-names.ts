import type { Audience, FactKey, FactUri } from '@unsay/live-resources';

/** A fact by name, and what stands for its topic in clear. */
export interface NamedFact extends FactKey {
  readonly uri: FactUri;
  readonly audience: Audience;
  readonly index: Uint8Array;
}

/** The facts of one subject, by index and in the order of their URIs. */
export interface SubjectNames {
  /** How many facts are known by name. */
  readonly size: number;
  /** Whether there is a fact whose name is lost. */
  readonly incomplete: boolean;
  byIndex(index: Uint8Array): NamedFact | null;
  /** At most `limit` facts of these audiences whose URIs sort after one, in order. */
  after(uri: FactUri | null, audiences: readonly Audience[], limit: number): NamedFact[];
  add(fact: NamedFact): void;
  addUnknown(): void;
}

/** No facts yet. */
export function createSubjectNames(): SubjectNames {
  const byIndex = new Map<string, NamedFact>();
  const sorted: NamedFact[] = [];
  let unknown = 0;

  /** The first place whose URI sorts after this one. */
  function placeAfter(uri: string): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.uri ?? '') > uri) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    get size() {
      return sorted.length;
    },
    get incomplete() {
      return unknown > 0;
    },
    byIndex: (index) => byIndex.get(keyOf(index)) ?? null,
    after(uri, audiences, limit) {
      const found: NamedFact[] = [];
      for (let at = uri === null ? 0 : placeAfter(uri); at < sorted.length && found.length < limit; at += 1) {
        const fact = sorted[at];
        if (fact !== undefined && audiences.includes(fact.audience)) found.push(fact);
      }
      return found;
    },
    add(fact) {
      byIndex.set(keyOf(fact.index), fact);
      sorted.splice(placeAfter(fact.uri), 0, fact);
    },
    addUnknown() {
      unknown += 1;
    },
  };
}

function keyOf(index: Uint8Array): string {
  return Buffer.from(index.buffer, index.byteOffset, index.byteLength).toString('latin1');
}
