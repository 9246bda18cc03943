import type { Instant } from '../clock.ts';
import type { FactKey, Lane } from '../partition.ts';
import type { TextId } from './derived-text.ts';
import type { ListenerId } from './listener.ts';

/**
 * What is known of a sentence that a listener was given. `served` means that nothing was reported yet: the
 * person may have heard it.
 */
export type SentenceState = 'served' | ReceiptState;

/** What a listener reports of a sentence: said to its end, begun, or not begun (`failed`: though it tried). */
export type ReceiptState = 'heard' | 'cut' | 'not_heard' | 'failed';

/** What a listener reports. */
export interface Receipt {
  readonly state: ReceiptState;
  /** How many words were said before a cut; null when that is not known, or nothing was cut. */
  readonly wordsHeard: number | null;
}

/** What tells the sentences of one listener about one fact apart. */
export interface SentenceName {
  readonly version: number;
  /** The version that the sentence takes back, or null for one that only says what is so. */
  readonly takesBack: number | null;
  /** The derived text that the version was cited in, or null for a sentence of the fact itself. */
  readonly text: TextId | null;
}

/** One version of a fact as one listener was given it. */
export interface Sentence extends SentenceName, FactKey, Lane {
  readonly listener: ListenerId;
  readonly state: SentenceState;
  /** How many words were said before a cut; null when that is not known, or nothing was cut. */
  readonly wordsHeard: number | null;
  /** When it was first given, or given anew after it no longer stood. */
  readonly servedAt: Instant;
  /** Whether it was given more than once: a report of not hearing it then tells nothing of the other times. */
  readonly isRepeated: boolean;
  /** When the state was reported, or null before. */
  readonly reportedAt: Instant | null;
  /** When a sentence that takes this version back was heard to its end, or null before. */
  readonly takenBackAt: Instant | null;
}

/** Reports reach us late, twice and out of order: the strongest stands, whichever came first. */
const STRENGTH: Readonly<Record<SentenceState, number>> = {
  served: 0,
  not_heard: 1,
  failed: 2,
  cut: 3,
  heard: 4,
};

// Fewer than none: any number says more.
const UNKNOWN = -1;

/** Whether one state outweighs another. */
export function isStronger(state: SentenceState, than: SentenceState): boolean {
  return STRENGTH[state] > STRENGTH[than];
}

/**
 * Whether the person may have heard these words, and was not told since that they do not hold. Silence counts
 * as hearing: the harm is in a wrong sentence that nobody takes back.
 */
export function stands({ state, takenBackAt }: Sentence): boolean {
  return takenBackAt === null && state !== 'not_heard' && state !== 'failed';
}

/** A sentence of an older version when it is given once more. When that was decides what a late report takes back. */
export function servedLate(before: Sentence | undefined, fresh: Sentence): Sentence {
  return before === undefined ? fresh : { ...fresh, isRepeated: true };
}

/**
 * A sentence when it is given once more, or null when that changes nothing: one that is known to be given, and
 * given again, is not written a third time.
 */
export function served(before: Sentence | undefined, fresh: Sentence): Sentence | null {
  if (before === undefined) return fresh;
  // A retraction that was heard has done its work. Given again, there is something to take back again.
  const isSpent = before.takesBack !== null && before.state === 'heard';
  if (!stands(before) || isSpent) return { ...fresh, isRepeated: true };
  return before.state === 'served' && !before.isRepeated ? { ...before, isRepeated: true } : null;
}

/** A sentence after a report, or null when the report adds nothing. */
export function reported(before: Sentence, { state, wordsHeard }: Receipt, at: Instant): Sentence | null {
  // A device that lost its memory in mid-sentence reports only of the time after.
  if (before.isRepeated && (state === 'not_heard' || state === 'failed')) return null;
  const after = { ...before, state, wordsHeard: state === 'cut' ? wordsHeard : null, reportedAt: at };
  if (isStronger(state, before.state)) return after;
  const heardFurther =
    state === 'cut' && before.state === 'cut' && (wordsHeard ?? UNKNOWN) > (before.wordsHeard ?? UNKNOWN);
  return heardFurther ? after : null;
}

/**
 * All that a report changes among the sentences of one listener about some facts. A retraction that is heard to
 * its end takes back the version that it names, however that was given before the retraction was; once, so that a report which comes a
 * second time does not take back what was said in between.
 */
export function afterReport(
  sentences: readonly Sentence[],
  isMeant: (sentence: Sentence) => boolean,
  receipt: Receipt,
  at: Instant,
): readonly Sentence[] {
  const after = new Map<Sentence, Sentence>();
  for (const sentence of sentences.filter(isMeant)) {
    const next = reported(sentence, receipt, at);
    if (next !== null) after.set(sentence, next);
  }
  for (const [before, { state, takesBack, topic, servedAt }] of [...after]) {
    if (state !== 'heard' || takesBack === null) continue;
    for (const each of sentences) {
      if (each === before || each.topic !== topic || each.version !== takesBack) continue;
      if (each.servedAt > servedAt) continue;
      after.set(each, { ...(after.get(each) ?? each), takenBackAt: each.takenBackAt ?? at });
    }
  }
  return [...after.values()];
}

/** Whether two names are of the same sentence. */
export function isSameSentence(one: SentenceName, other: SentenceName): boolean {
  return one.version === other.version && one.takesBack === other.takesBack && one.text === other.text;
}
