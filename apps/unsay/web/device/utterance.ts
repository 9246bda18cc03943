import type { Fact } from '../live/fact.ts';
import { firstWordOfNewValue, type Word, wordsOf } from '../speech/words.ts';

/** A sentence that the server gave, being said or said in part. The page writes none of its own. */
export interface Utterance {
  readonly kind: 'fact' | 'retraction';
  readonly uri: string;
  /** The version whose words a person has heard once `newFrom` has begun. */
  readonly version: number;
  readonly text: string;
  readonly words: readonly Word[];
  /** Index of the first word that gives this version's own words. */
  readonly newFrom: number;
}

/** A fact's own words. */
export function factUtterance(fact: Fact): Utterance {
  const { uri, version, spoken } = fact;
  return { kind: 'fact', uri, version, text: spoken, words: wordsOf(spoken), newFrom: 0 };
}

/** The sentence that takes older words back and gives those of `head`. */
export function retractionUtterance(head: Fact, sentence: string): Utterance {
  const { uri, version, value } = head;
  const newFrom = firstWordOfNewValue(sentence, value);
  return { kind: 'retraction', uri, version, text: sentence, words: wordsOf(sentence), newFrom };
}

/** Why a sentence stopped before its end. */
export type CutReason = 'changed' | 'gone' | 'disconnected' | 'stopped';

/** A sentence that was stopped, and how far a person heard it. */
export interface Cut {
  readonly utterance: Utterance;
  /** Words that had begun; the last of them may have been heard in part only. */
  readonly heard: number;
  readonly reason: CutReason;
}

/** One line of what was said in this page's life. */
export interface SaidEntry {
  /** When it ended; milliseconds of this page's clock. */
  readonly at: number;
  readonly utterance: Utterance;
  readonly heard: number;
  /** Null when it was said to its end. */
  readonly cut: CutReason | null;
}
