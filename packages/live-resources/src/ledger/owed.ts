import type { Instant } from '../clock.ts';
import { type Partition, ruleOfAudience } from '../partition.ts';
import type { FactStore, LaneFilter } from '../store.ts';
import type { FactVersion } from '../version.ts';
import type { DerivedText } from './derived-text.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { ListenerId } from './listener.ts';
import { isStronger, type Sentence, type SentenceState } from './sentence.ts';

/** An older version that a person may have heard from a listener, and was not told since that it changed. */
export interface Debt {
  readonly listener: ListenerId;
  /** The version that was given, in full: its words went to this listener, so they may be named to it. */
  readonly given: FactVersion;
  /** What holds now. */
  readonly current: FactVersion;
  /** The most that is known of hearing it: never `not_heard` or `failed`, of which nothing is owed. */
  readonly state: SentenceState;
  /** How many words of it were said before a cut; null when that is not known, or nothing was cut. */
  readonly wordsHeard: number | null;
  /** When that was reported, or when it was given, if nothing was. */
  readonly at: Instant;
  /** The derived texts in which it was given, if any. */
  readonly texts: readonly DerivedText[];
}

/** What is needed to tell what is owed. */
export interface Books {
  readonly store: FactStore;
  readonly ledger: LedgerStore;
}

/**
 * What a listener is owed in some lanes, the longest owed first. It follows from what stands in the ledger and
 * from the facts' heads alone, so a publication has no marks to leave and there are none to be lost.
 */
export async function debtsOf(books: Books, listener: ListenerId, lanes: LaneFilter): Promise<Debt[]> {
  const standing = await books.ledger.standing(listener, lanes);
  const debts: Debt[] = [];
  for (const ofFact of groupBy(standing, ({ subject, topic }) => `${subject}/${topic}`)) {
    const [{ subject, topic, audience }] = ofFact;
    const current = await books.store.version({ subject, topic }, null);
    // A fact never changes its audience; asking again here keeps a mistake of a store from becoming a leak.
    if (current === null || current.audience !== audience) continue;
    for (const ofVersion of groupBy(ofFact, ({ version }) => String(version))) {
      if (ofVersion[0].version < current.version) debts.push(await debtOf(books, ofVersion, current));
    }
  }
  return debts.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

type Some<T> = readonly [T, ...T[]];

async function debtOf({ store, ledger }: Books, of: Some<Sentence>, current: FactVersion): Promise<Debt> {
  const [{ listener, version, subject }] = of;
  const given = await store.version(current, version);
  if (given === null) throw new Error('a listener was given a version that is not there');
  const texts: DerivedText[] = [];
  for (const { text: id } of of) {
    const text = id && (await ledger.text(subject, id));
    if (id !== null && text === null) throw new Error('a listener was given a text that is not there');
    if (text) texts.push(text);
  }
  const { state, wordsHeard, servedAt, reportedAt } = of.reduce((best, each) => {
    if (isStronger(each.state, best.state)) return each;
    return each.state === best.state && (each.wordsHeard ?? -1) > (best.wordsHeard ?? -1) ? each : best;
  });
  return { listener, given, current, state, wordsHeard, at: reportedAt ?? servedAt, texts };
}

function groupBy<T>(all: readonly T[], keyOf: (each: T) => string): Iterable<Some<T>> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const each of all) {
    const group = groups.get(keyOf(each));
    if (group === undefined) groups.set(keyOf(each), [each]);
    else group.push(each);
  }
  return groups.values();
}

/** The lanes of these that a person may hear. */
export function speakableLanes(partition: Partition, lanes: LaneFilter): LaneFilter {
  const isSpeakable = (audience: string): boolean => ruleOfAudience(partition, audience)?.speakable === true;
  return { ...lanes, audiences: lanes.audiences.filter(isSpeakable) };
}
