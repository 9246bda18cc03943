import { type Clock, instant } from '../clock.ts';
import { parseFactUri, type Subject } from '../fact-uri.ts';
import { type FactKey, type Lane, type Partition, ruleOfScheme } from '../partition.ts';
import { mayRead, type Principal } from '../principal.ts';
import { readableLanes } from '../readable-lanes.ts';
import { type ReadOutcome, readFact } from '../reading.ts';
import { type GlossaryEntry, renderRetraction, renderSpoken } from '../retraction.ts';
import type { FactStore, LaneFilter } from '../store.ts';
import type { FactVersion } from '../version.ts';
import { type DerivedTextInput, parseDerivedText, type TextId } from './derived-text.ts';
import type { FactsOf, LedgerStore } from './ledger-store.ts';
import { type Listener, type ListenerId, speaksFor } from './listener.ts';
import { type Debt, debtsOf, speakableLanes } from './owed.ts';
import {
  afterReport,
  isSameSentence,
  type Receipt,
  type Sentence,
  type SentenceName,
  served,
  servedLate,
} from './sentence.ts';

/** A sentence for a listener to say. It was recorded before it is given. */
export interface Utterance {
  /** The version whose words it says: the head. */
  readonly version: FactVersion;
  /** The version that it takes back, or null when the listener owes nothing for this fact. */
  readonly takesBack: number | null;
  /** The whole sentence, to be said as it is. */
  readonly text: string;
}

/** A retraction that a listener owes to whoever heard it. */
export interface OwedRetraction extends Debt {
  /** The sentence that pays the debt, once it is heard to its end. */
  readonly retraction: string;
}

/** How telling a derived text ended. */
export type TellOutcome =
  | { readonly kind: 'told'; readonly id: TextId }
  /**
   * It is malformed, cites what the caller may not know, what is not there or what is beyond its audience, or the
   * caller does not speak for the listener: one answer for all.
   */
  | { readonly kind: 'absent' }
  /** It cites versions that no longer hold: it is to be made again. */
  | { readonly kind: 'outdated'; readonly current: readonly FactVersion[] };

/** Of which sentence a listener reports: one of a fact, by its bare URI, or a derived text with all that it cites. */
export type ReportedSentence =
  | { readonly uri: string; readonly version: number; readonly takesBack: number | null }
  | { readonly subject: Subject; readonly text: TextId };

/** What a ledger is made of. */
export interface ListenerLedgerParts {
  readonly partition: Partition;
  readonly store: FactStore;
  readonly ledger: LedgerStore;
  readonly clock: Clock;
  readonly glossary: readonly GlossaryEntry[];
}

/**
 * What listeners were given, what people heard of it, and what they are owed since. A listener hears facts of
 * speakable audiences only. What is given is durable before it is given. Every method that takes a principal
 * decides anew, at that moment, what it may know; one who does not speak for the listener finds nothing.
 */
export interface ListenerLedger {
  /**
   * Reads a fact, or one version of it, as `LiveResources.read` does, for a listener. A listener that was given
   * the words which a withdrawal takes back is told them once more, to name them; no other reader is.
   */
  read(principal: Principal, listener: Listener, uri: string): Promise<ReadOutcome>;
  /**
   * The sentence to say about a fact now: it takes back what the listener said before, where that changed. Where
   * more than one version is owed, the one last known to be said; the others stay owed.
   *
   * @returns null for what `read` calls absent, and for the URI of a version.
   */
  say(principal: Principal, listener: Listener, uri: string): Promise<Utterance | null>;
  /** Gives a listener a text that was made from facts, every one of them as it stands now. */
  tell(principal: Principal, listener: Listener, text: DerivedTextInput): Promise<TellOutcome>;
  /**
   * Records what became of a sentence, durably. It is taken also of a fact that the principal may no longer read:
   * what was heard was heard.
   *
   * @returns how many retractions the listener now owes, of what the principal may read; null when the
   *   listener was never given such a sentence, or the principal does not speak for it.
   */
  report(
    principal: Principal,
    listener: Listener,
    sentence: ReportedSentence,
    receipt: Receipt,
  ): Promise<number | null>;
  /** Gives a listener what it owes, of what the principal may read: of one subject, or of all. */
  owed(principal: Principal, listener: Listener, subject: string | null): Promise<readonly OwedRetraction[]>;
  /**
   * What all listeners owe in some lanes, for whoever runs the server: a listener that may no longer read a
   * fact is told nothing of it, and what it owes is still owed. Nothing is recorded.
   */
  duties(lanes: LaneFilter): Promise<readonly Debt[]>;
}

/** Keeps a ledger over the facts of a store. */
export function createListenerLedger(parts: ListenerLedgerParts): ListenerLedger {
  const { partition, store, ledger, clock, glossary } = parts;

  async function give(
    listener: ListenerId,
    version: FactVersion,
    name: SentenceName,
    isOlder = false,
  ): Promise<void> {
    const fresh = freshSentence(parts, listener, version, name);
    await ledger.change(listener, factOf(version), (sentences) => {
      const before = sentences.find((each) => isSameSentence(each, fresh));
      const after = isOlder ? servedLate(before, fresh) : served(before, fresh);
      return after === null ? [] : [after];
    });
  }

  async function readSpeakable(principal: Principal, listener: Listener, uri: string): Promise<ReadOutcome> {
    const rule = ruleOfScheme(partition, parseFactUri(uri)?.scheme ?? '');
    if (!speaksFor(principal, listener) || rule?.speakable !== true) return { kind: 'absent' };
    return readFact(partition, store, principal, uri);
  }

  // What was withdrawn is named only to who was given it.
  async function withKnownWords({ id }: Listener, found: ReadOutcome): Promise<ReadOutcome> {
    if (found.kind !== 'found' || found.head.kind !== 'withdraw' || found.superseded === null) return found;
    const { version } = found.superseded;
    const sentences = await ledger.sentences(id, factOf(found.head));
    if (!sentences.some((each) => each.version === version)) return found;
    return { ...found, superseded: await store.version(found.head, version) };
  }

  async function debts(principal: Principal, id: ListenerId, subject: string | null): Promise<Debt[]> {
    const lanes = speakableLanes(partition, readableLanes(partition, principal, subject));
    const found = await debtsOf(parts, id, lanes);
    // The second of the two checks: what the store was asked for is not what decides.
    return found.filter(({ current }) => mayRead(partition, principal, current));
  }

  return {
    async read(principal, listener, uri) {
      const found = await readSpeakable(principal, listener, uri);
      if (found.kind === 'absent') return found;
      const { version, head } = found;
      const name = { version: version.version, takesBack: null, text: null };
      await give(listener.id, version, name, version.version < head.version);
      return withKnownWords(listener, found);
    },
    async say(principal, listener, uri) {
      const found = await readSpeakable(principal, listener, uri);
      // A listener says what is so, not what once was.
      if (found.kind === 'absent' || parseFactUri(uri)?.version !== null) return null;
      const owed = await debts(principal, listener.id, found.head.subject);
      const debt = owed.findLast(({ given }) => given.uri === found.head.uri) ?? null;
      // A debt is read later than the fact was: the words are those that it is owed for.
      const version = debt?.current ?? found.head;
      const takesBack = debt?.given.version ?? null;
      await give(listener.id, version, { version: version.version, takesBack, text: null });
      const text = debt
        ? renderRetraction(debt.given, version, clock, glossary)
        : renderSpoken(version, clock);
      return { version, takesBack, text };
    },
    async tell(principal, listener, input) {
      const parsed = parseDerivedText(partition, input);
      if (parsed === null || !parsed.rule.speakable || !speaksFor(principal, listener))
        return { kind: 'absent' };
      const { text } = parsed;
      const outdated: FactVersion[] = [];
      for (const { uri, version } of text.citations) {
        const found = await readFact(partition, store, principal, uri);
        if (found.kind === 'absent' || version > found.head.version) return { kind: 'absent' };
        if (version < found.head.version) outdated.push(found.head);
      }
      if (outdated.length > 0) return { kind: 'outdated', current: outdated };
      await ledger.keep(text);
      const { subject, audience, id } = text;
      const topics = text.citations.map(({ topic }) => topic);
      await ledger.change(listener.id, { subject, topics }, (sentences) =>
        text.citations.flatMap(({ topic, version }) => {
          const name: SentenceName = { version, takesBack: null, text: id };
          const fresh = freshSentence(parts, listener.id, { subject, topic, audience }, name);
          const before = sentences.find((each) => each.topic === topic && isSameSentence(each, fresh));
          return served(before, fresh) ?? [];
        }),
      );
      return { kind: 'told', id };
    },
    async report(principal, listener, sentence, receipt) {
      const target = speaksFor(principal, listener) ? await targetOf(parts, sentence) : null;
      if (target === null) return null;
      let isKnown = false;
      await ledger.change(listener.id, target.facts, (sentences) => {
        isKnown = sentences.some(target.isMeant);
        return afterReport(sentences, target.isMeant, receipt, instant(clock.now()));
      });
      return isKnown ? (await debts(principal, listener.id, null)).length : null;
    },
    async owed(principal, listener, subject) {
      if (!speaksFor(principal, listener)) return [];
      const owed: OwedRetraction[] = [];
      for (const debt of await debts(principal, listener.id, subject)) {
        const { given, current } = debt;
        await give(listener.id, current, { version: current.version, takesBack: given.version, text: null });
        owed.push({ ...debt, retraction: renderRetraction(given, current, clock, glossary) });
      }
      return owed;
    },
    async duties(lanes) {
      const listeners = await ledger.listeners(lanes);
      const ofEach = await Promise.all(listeners.map((id) => debtsOf(parts, id, lanes)));
      return ofEach.flat();
    },
  };
}

function factOf({ subject, topic }: FactKey): FactsOf {
  return { subject, topics: [topic] };
}

function freshSentence(
  { clock }: ListenerLedgerParts,
  listener: ListenerId,
  { subject, topic, audience }: FactKey & Lane,
  { version, takesBack, text }: SentenceName,
): Sentence {
  return {
    listener,
    subject,
    topic,
    audience,
    version,
    takesBack,
    text,
    state: 'served',
    wordsHeard: null,
    servedAt: instant(clock.now()),
    isRepeated: false,
    reportedAt: null,
    takenBackAt: null,
  };
}

interface Target {
  readonly facts: FactsOf;
  readonly isMeant: (sentence: Sentence) => boolean;
}

async function targetOf(
  { partition, ledger }: ListenerLedgerParts,
  sentence: ReportedSentence,
): Promise<Target | null> {
  if ('text' in sentence) {
    const text = await ledger.text(sentence.subject, sentence.text);
    if (text === null) return null;
    const topics = text.citations.map(({ topic }) => topic);
    return { facts: { subject: text.subject, topics }, isMeant: (each) => each.text === text.id };
  }
  const fact = parseFactUri(sentence.uri);
  const rule = fact && ruleOfScheme(partition, fact.scheme);
  if (fact === null || fact.version !== null || rule === null) return null;
  const name = { version: sentence.version, takesBack: sentence.takesBack, text: null };
  const isMeant = (each: Sentence): boolean => each.audience === rule.audience && isSameSentence(each, name);
  return { facts: factOf(fact), isMeant };
}
