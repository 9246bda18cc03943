import type { Topic } from '../fact-uri.ts';
import type { Lane } from '../partition.ts';
import type { LaneFilter } from '../store.ts';
import type { DerivedText, TextId } from './derived-text.ts';
import type { ListenerId } from './listener.ts';
import type { Sentence } from './sentence.ts';

/** Some facts of one subject. */
export interface FactsOf {
  readonly subject: Lane['subject'];
  readonly topics: readonly Topic[];
}

/**
 * Where it is kept what listeners were given and what they heard. Implementations pass
 * `testing/ledger-contract.ts`. It knows no rule: what follows from what is decided in `sentence.ts`.
 *
 * Concurrency. Any number of processes may call any method at once. `change` is the only way a sentence
 * changes: `decide` is given every sentence of the listener about those facts as they are, and what it gives
 * takes their place or is added, with nothing in between. It may be called more than once and has no effects.
 *
 * Durability. When `change` or `keep` resolves, what it wrote survives the death of the process and of the
 * machine. A rejected promise means that nothing was written. A `change` that gives nothing writes nothing.
 *
 * Damage. A record whose bytes are not what was written is never given and never taken for one that is not
 * there: whoever needs it gets a rejection.
 */
export interface LedgerStore {
  /** Replaces and adds sentences of one listener about some facts. Each must be of a stored version. */
  change(
    listener: ListenerId,
    facts: FactsOf,
    decide: (sentences: readonly Sentence[]) => readonly Sentence[],
  ): Promise<void>;

  /** The sentences of one listener about some facts, in no particular order. */
  sentences(listener: ListenerId, facts: FactsOf): Promise<readonly Sentence[]>;

  /** The sentences of one listener that stand ({@link stands}), of the given lanes, in no particular order. */
  standing(listener: ListenerId, lanes: LaneFilter): Promise<readonly Sentence[]>;

  /** The listeners of which a sentence stands in the given lanes, each once, in order. */
  listeners(lanes: LaneFilter): Promise<readonly ListenerId[]>;

  /** Keeps a text. One that is kept already changes nothing. */
  keep(text: DerivedText): Promise<void>;

  /** A kept text of one subject, or null. */
  text(subject: Lane['subject'], id: TextId): Promise<DerivedText | null>;
}
