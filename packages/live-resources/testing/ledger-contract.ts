import { describe, expect, it } from 'vitest';
import { type DerivedText, parseDerivedText } from '../src/ledger/derived-text.ts';
import type { LedgerStore } from '../src/ledger/ledger-store.ts';
import { type ListenerId, parseListenerId } from '../src/ledger/listener.ts';
import type { Sentence } from '../src/ledger/sentence.ts';
import type { Audience } from '../src/partition.ts';
import type { FactStore } from '../src/store.ts';
import { later, PARTITION, type SampleFact, START, sampleFact, write } from './sample-facts.ts';

/** A ledger under test with the facts that its sentences are about. */
export interface OpenLedger {
  readonly store: FactStore;
  readonly ledger: LedgerStore;
  /** Ends both as at the end of a program and opens what they left behind. Stores that forget have none. */
  readonly reopen?: () => Promise<Omit<OpenLedger, 'reopen' | 'close'>>;
  close(): Promise<void>;
}

const PHONE = listener('phone');
const SHELF = listener('shelf');
const WALK = sampleFact('user', 'ray', 'walk');
const BATH = sampleFact('user', 'ray', 'bath');
const EVERYTHING = { subjects: '*', audiences: ['user' as Audience] } as const;

/** What every {@link LedgerStore} must do. `open` gives a new and empty one each time. */
export function ledgerContract(name: string, open: () => Promise<OpenLedger>): void {
  const onNew = (test: (opened: OpenLedger) => Promise<void>) => async (): Promise<void> => {
    const opened = await open();
    try {
      for (const fact of [WALK, WALK, BATH, sampleFact('user', 'kim', 'walk')])
        await write(opened.store, fact);
      await test(opened);
    } finally {
      await opened.close();
    }
  };

  describe(`${name}: ledger contract`, () => {
    it(
      'gives back what it was given, whatever is known of it, and after a restart',
      onNew(async (opened) => {
        const all = [
          sentenceOf(PHONE, WALK),
          sentenceOf(PHONE, WALK, {
            version: 2,
            takesBack: 1,
            state: 'cut',
            wordsHeard: 3,
            isRepeated: true,
          }),
          sentenceOf(PHONE, WALK, { version: 2, state: 'heard', reportedAt: later(START, 9) }),
          sentenceOf(PHONE, BATH, { state: 'not_heard', takenBackAt: later(START, 7) }),
        ];
        await opened.ledger.change(
          PHONE,
          { subject: WALK.subject, topics: [WALK.topic, BATH.topic] },
          () => all,
        );
        const { ledger } = (await opened.reopen?.()) ?? opened;
        const found = await ledger.sentences(PHONE, {
          subject: WALK.subject,
          topics: [WALK.topic, BATH.topic],
        });
        expect(sorted(found)).toEqual(sorted(all));
        expect(await ledger.sentences(PHONE, about(BATH))).toEqual([all[3]]);
      }),
    );

    it(
      'keeps one sentence of a name: the newest takes the place of the one before',
      onNew(async ({ ledger }) => {
        const first = sentenceOf(PHONE, WALK);
        await ledger.change(PHONE, about(WALK), () => [first]);
        const second = { ...first, state: 'heard', reportedAt: later(START, 5) } as const;
        await ledger.change(PHONE, about(WALK), (before) => {
          expect(before).toEqual([first]);
          return [second];
        });
        expect(await ledger.sentences(PHONE, about(WALK))).toEqual([second]);
      }),
    );

    it(
      'keeps listeners, facts and subjects apart',
      onNew(async ({ ledger }) => {
        const kim = sampleFact('user', 'kim', 'walk');
        for (const [id, fact] of [
          [PHONE, WALK],
          [SHELF, BATH],
          [SHELF, kim],
        ] as const) {
          await ledger.change(id, about(fact), () => [sentenceOf(id, fact)]);
        }
        expect(await ledger.sentences(PHONE, about(BATH))).toEqual([]);
        expect(await ledger.sentences(PHONE, about(kim))).toEqual([]);
        expect(await ledger.sentences(SHELF, about(kim))).toEqual([sentenceOf(SHELF, kim)]);
        expect(await ledger.standing(SHELF, { ...EVERYTHING, subjects: new Set(['ray']) })).toEqual([
          sentenceOf(SHELF, BATH),
        ]);
        expect(await ledger.listeners({ ...EVERYTHING, subjects: new Set(['kim']) })).toEqual([SHELF]);
        expect(await ledger.listeners(EVERYTHING)).toEqual([PHONE, SHELF]);
      }),
    );

    it(
      'finds what stands, and only in the lanes that were asked for',
      onNew(async ({ ledger }) => {
        const standing = sentenceOf(PHONE, WALK, { version: 2, state: 'cut', wordsHeard: 0 });
        await ledger.change(PHONE, about(WALK), () => [
          sentenceOf(PHONE, WALK, { state: 'heard', takenBackAt: START }),
          sentenceOf(PHONE, WALK, { takesBack: 2, state: 'failed' }),
          standing,
        ]);
        expect(await ledger.standing(PHONE, EVERYTHING)).toEqual([standing]);
        expect(await ledger.standing(PHONE, { ...EVERYTHING, audiences: ['assistant' as Audience] })).toEqual(
          [],
        );
        expect(await ledger.standing(PHONE, { ...EVERYTHING, audiences: [] })).toEqual([]);
        expect(await ledger.standing(PHONE, { ...EVERYTHING, subjects: new Set() })).toEqual([]);
        expect(await ledger.listeners({ ...EVERYTHING, subjects: new Set() })).toEqual([]);
        await ledger.change(PHONE, about(WALK), () => [{ ...standing, takenBackAt: START }]);
        expect(await ledger.standing(PHONE, EVERYTHING)).toEqual([]);
        expect(await ledger.listeners(EVERYTHING)).toEqual([]);
      }),
    );

    it(
      'lets changes of one sentence follow each other, however many come at once',
      onNew(async ({ ledger }) => {
        await ledger.change(PHONE, about(WALK), () => [
          sentenceOf(PHONE, WALK, { state: 'cut', wordsHeard: 0 }),
        ]);
        const oneMore = (): Promise<void> =>
          ledger.change(PHONE, about(WALK), (before) =>
            before.map((each) => ({ ...each, wordsHeard: (each.wordsHeard ?? 0) + 1 })),
          );
        await Promise.all(Array.from({ length: 50 }, oneMore));
        expect(await ledger.sentences(PHONE, about(WALK))).toMatchObject([{ wordsHeard: 50 }]);
      }),
    );

    it(
      'changes nothing when the decision fails, and the next one goes through',
      onNew(async ({ ledger }) => {
        const fails = ledger.change(PHONE, about(WALK), () => {
          throw new Error('undecided');
        });
        const goes = ledger.change(PHONE, about(WALK), () => [sentenceOf(PHONE, WALK)]);
        await expect(fails).rejects.toThrow('undecided');
        await goes;
        expect(await ledger.sentences(PHONE, about(WALK))).toEqual([sentenceOf(PHONE, WALK)]);
      }),
    );

    it(
      'keeps texts, each with what it cites, and after a restart',
      onNew(async (opened) => {
        const text = textOf('Walk, then bathe.', ['fact://ray/walk/v2', 'fact://ray/bath/v1']);
        await opened.ledger.keep(text);
        await opened.ledger.keep(text);
        const { ledger } = (await opened.reopen?.()) ?? opened;
        expect(await ledger.text(text.subject, text.id)).toEqual(text);
        expect(await ledger.text('kim' as DerivedText['subject'], text.id)).toBeNull();
        expect(await ledger.text(text.subject, 'f'.repeat(64) as DerivedText['id'])).toBeNull();
      }),
    );
  });
}

/** A listener of tests. */
export function listener(id: string): ListenerId {
  const parsed = parseListenerId(id);
  if (parsed === null) throw new Error('a malformed listener in a test');
  return parsed;
}

/** A derived text of the sample partition. */
export function textOf(words: string, citations: readonly string[]): DerivedText {
  const parsed = parseDerivedText(PARTITION, { words, citations });
  if (parsed === null) throw new Error('a malformed text in a test');
  return parsed.text;
}

/** The first version of a fact, given and no more, unless `parts` says otherwise. */
export function sentenceOf(id: ListenerId, fact: SampleFact, parts: Partial<Sentence> = {}): Sentence {
  return {
    listener: id,
    subject: fact.subject,
    topic: fact.topic,
    audience: fact.rule.audience,
    version: 1,
    takesBack: null,
    text: null,
    state: 'served',
    wordsHeard: null,
    servedAt: START,
    isRepeated: false,
    reportedAt: null,
    takenBackAt: null,
    ...parts,
  };
}

function about({ subject, topic }: SampleFact) {
  return { subject, topics: [topic] };
}

function sorted(sentences: readonly Sentence[]): Sentence[] {
  const keyOf = ({ topic, version, takesBack }: Sentence): string => `${topic}/${version}/${takesBack}`;
  return [...sentences].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
