import type { Audience, ChainHead, FactKey } from '@unsay/live-resources';
import { createRecentlyUsed } from '../envelope/recently-used.ts';

/**
 * What the store says a fact's head is, of facts that were lately asked for by an audience: null where there is none for
 * it. Each audience has its own, so that no look-up is faster for what the readers of another one do. Whoever alone
 * writes the store says what a write changed, once that is committed. Whatever erases a subject must clear it.
 */
export interface KnownHeads {
  /** Undefined when it is not known. */
  get(fact: FactKey, audience: Audience): ChainHead | null | undefined;
  set(fact: FactKey, audience: Audience, head: ChainHead | null): void;
}

const MOST_HEADS = 4_096;

/** None known yet. */
export function createKnownHeads(): KnownHeads {
  const heads = createRecentlyUsed<{ readonly head: ChainHead | null }>(MOST_HEADS);
  return {
    get: (fact, audience) => heads.get(keyOf(fact, audience))?.head,
    set(fact, audience, head) {
      const kept = head && { version: head.version, versionHash: head.versionHash };
      heads.set(keyOf(fact, audience), { head: kept });
    },
  };
}

// No name has a slash.
function keyOf({ subject, topic }: FactKey, audience: Audience): string {
  return `${audience}/${subject}/${topic}`;
}
